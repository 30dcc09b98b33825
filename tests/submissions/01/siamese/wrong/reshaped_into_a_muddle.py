# expects: not in the rows and sides of their inputs
# the right shape, but the rows of different pairs get mixed
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    stacked = ops.stack([encoder(left), encoder(right)], axis=0)
    return keras.Model([left, right], ops.reshape(stacked, (-1, 2, encoder.output_shape[-1])))
