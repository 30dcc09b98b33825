# expects: no weights besides the encoder's
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], apart)
