# expects: image does not train the encoder
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - ops.stop_gradient(encoder(right)))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))
