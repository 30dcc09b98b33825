# expects: Besides the encoder's weights, there are weights of shapes
def build_verifier(encoder):
    left, right = keras.Input(encoder.input_shape[1:]), keras.Input(encoder.input_shape[1:])
    weighted = layers.Dense(1)(ops.abs(encoder(left) - encoder(right)))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(weighted))
