# expects: The dense layer gets one number for each pair
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.sum(ops.abs(encoder(left) - encoder(right)), axis=-1, keepdims=True)
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))
