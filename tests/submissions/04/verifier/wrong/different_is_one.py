# expects: the probability that they are *different*
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], 1 - layers.Dense(1, activation="sigmoid")(apart))
