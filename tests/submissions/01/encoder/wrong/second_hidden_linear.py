# expects: The second hidden layer has no ReLU.
# the second hidden layer has no ReLU, only the first one has; its output is negative for about half of the units on any input.
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024),
            keras.layers.Dense(dim),
        ]
    )
