# expects: The model doesn't declare its input
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )
