# expects: The model does not contain the encoder it was given
# zeros, whatever the pictures show
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    nothing = 0.0 * (left + right)[:, : encoder.output_shape[-1]]
    return keras.Model([left, right], ops.stack([nothing, nothing], axis=1))
