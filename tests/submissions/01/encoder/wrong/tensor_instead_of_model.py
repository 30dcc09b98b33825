# expects: expected a Keras model
def build_encoder(dim=2):
    inputs = keras.Input((784,))
    x = keras.layers.Dense(1024, activation="relu")(inputs)
    x = keras.layers.Dense(1024, activation="relu")(x)
    return keras.layers.Dense(dim)(x)
