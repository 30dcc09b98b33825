# expects: is there a Dropout layer? Leave it out.
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(dim),
        ]
    )
