# expects: The softmax of one number is always 1
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="softmax")(apart))
