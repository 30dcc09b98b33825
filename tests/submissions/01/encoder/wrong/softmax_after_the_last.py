# expects: There is a softmax after the last layer
# as in a classifier
def build_encoder(dim=2):
    inputs = keras.Input(shape=(784,))
    x = keras.layers.Dense(1024, activation="relu")(inputs)
    x = keras.layers.Dense(1024, activation="relu")(x)
    outputs = keras.layers.Dense(dim, activation="softmax")(x)
    return keras.Model(inputs, outputs)
