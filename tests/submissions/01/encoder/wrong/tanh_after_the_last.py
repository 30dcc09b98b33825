# expects: There is a tanh after the last layer
def build_encoder(dim=2):
    image = keras.Input((784,))
    hidden = keras.layers.Dense(1024, "relu")(image)
    hidden = keras.layers.Dense(1024, "relu")(hidden)
    return keras.Model(image, ops.tanh(keras.layers.Dense(dim)(hidden)))
