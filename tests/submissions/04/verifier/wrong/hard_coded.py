# expects: right results for the inputs of the notebook's check
def build_verifier(encoder):
    left, right = (keras.Input((3, 3, 1)) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))
