# expects: With `dim=3`, the output has shape (None, 2): use the argume
# the last layer always has 2 units; shows for any dim other than 2, such as build_encoder(16)
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(2),
        ]
    )
