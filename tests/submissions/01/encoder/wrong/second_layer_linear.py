# expects: The second hidden layer has no ReLU.
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024),
            keras.layers.Dense(dim),
        ]
    )
