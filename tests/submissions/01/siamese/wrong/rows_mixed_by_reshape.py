# expects: not in the rows and sides of their inputs
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    both = ops.concatenate([encoder(left), encoder(right)], axis=0)
    return keras.Model([left, right], ops.reshape(both, (-1, 2, encoder.output_shape[-1])))
