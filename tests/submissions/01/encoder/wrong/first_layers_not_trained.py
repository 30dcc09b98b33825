# expects: The weights of layer 1 do not get their whole gradient
# the right numbers, but only the last layer is trained
def build_encoder(dim=2):
    image = keras.Input((784,))
    x = keras.layers.Dense(1024, activation="relu")(image)
    x = keras.layers.Dense(1024, activation="relu")(x)
    return keras.Model(image, keras.layers.Dense(dim)(ops.stop_gradient(x)))
