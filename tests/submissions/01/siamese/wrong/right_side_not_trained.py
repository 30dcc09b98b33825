# expects: The right side does not train the encoder
# the right numbers, but nothing is learned from the right picture
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    fixed = ops.stop_gradient(encoder(right))
    return keras.Model([left, right], ops.stack([encoder(left), fixed], axis=1))
