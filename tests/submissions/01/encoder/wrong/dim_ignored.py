# expects: use the argument `dim` for the last layer
def build_encoder(dim=2):
    inputs = keras.Input((784,))
    hidden = keras.layers.Dense(1024, activation="relu")(inputs)
    hidden = keras.layers.Dense(1024, activation="relu")(hidden)
    point = keras.layers.Dense(2)(hidden)
    return keras.Model(inputs, point)
