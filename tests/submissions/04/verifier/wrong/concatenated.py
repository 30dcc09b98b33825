# expects: are both embeddings joined
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.concatenate([encoder(left), encoder(right)], axis=-1)
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(apart))
