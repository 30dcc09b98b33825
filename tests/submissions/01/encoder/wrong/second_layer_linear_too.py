# expects: The second hidden layer has no ReLU.
# the second hidden layer has no ReLU; shows for every input, because its negative values aren't set to 0
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024),
            keras.layers.Dense(dim),
        ]
    )
