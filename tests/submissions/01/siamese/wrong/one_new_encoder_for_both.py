# expects: The model does not contain the encoder it was given
def build_siamese(encoder):
    shared = build_encoder(encoder.output_shape[-1])
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([shared(left), shared(right)], axis=1))
