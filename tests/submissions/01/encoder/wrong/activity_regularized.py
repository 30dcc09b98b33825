# expects: A layer has a regularizer
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim, activity_regularizer="l2"),
        ]
    )
