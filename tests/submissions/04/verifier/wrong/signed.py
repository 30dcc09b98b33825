# expects: The differences keep their signs
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = encoder(left) - encoder(right)
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))
