# expects: Besides the encoder's weights, there are weights of shapes
# the dense layer has no bias (beta is missing); an image compared with itself always gets 0.5, even after training.
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    gap = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid", use_bias=False)(gap))
