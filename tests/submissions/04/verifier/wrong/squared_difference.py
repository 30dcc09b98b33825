# expects: The differences are squared. Koch's head takes their absolute values, an L
# the dense layer gets squared differences, not absolute ones; any pair whose embeddings differ by something else than 0 or 1 gets another probability.
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    gap = ops.square(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(gap))
