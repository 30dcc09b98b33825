def build_verifier(encoder):
    left, right = keras.Input((*encoder.input_shape[1:],)), keras.Input(encoder.input_shape[1:])
    difference = layers.Subtract()([encoder(left), encoder(right)])
    score = layers.Dense(1)(layers.Lambda(ops.absolute)(difference))
    return keras.Model(inputs=[left, right], outputs=layers.Activation("sigmoid")(score))
