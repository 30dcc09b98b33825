# expects: expected a Keras model
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return ops.stack([encoder(left), encoder(right)], axis=1)
