def build_verifier(encoder):
    pair = [keras.Input(encoder.input_shape[1:], name=side) for side in ("left", "right")]
    vectors = [encoder(image) for image in pair]
    distance = layers.Subtract()([layers.Maximum()(vectors), layers.Minimum()(vectors)])
    score = layers.Dense(1)(distance)
    return keras.Model(pair, layers.Activation("sigmoid")(score))
