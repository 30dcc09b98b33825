def build_verifier(encoder):
    left = keras.Input(encoder.input_shape[1:], name="left_image")
    right = keras.Input(encoder.input_shape[1:], name="right_image")
    both = [encoder(left), encoder(right)]
    difference = layers.Subtract()([layers.Maximum()(both), layers.Minimum()(both)])
    probability = layers.Dense(units=1, activation=keras.activations.sigmoid)(difference)
    return keras.Model([left, right], probability)
