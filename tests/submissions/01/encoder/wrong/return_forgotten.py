# expects: is a `return` missing?
def build_encoder(dim=2):
    model = keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )
    model.summary()
