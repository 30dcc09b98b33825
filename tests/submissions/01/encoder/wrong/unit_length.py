# expects: Is there another layer?
# brings every embedding to length 1
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
            keras.layers.UnitNormalization(),
        ]
    )
