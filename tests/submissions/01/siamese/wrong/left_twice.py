# expects: Both sides are the left image's embedding
def build_siamese(encoder):
    left = keras.Input((784,))
    right = keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), encoder(left)], axis=1))
