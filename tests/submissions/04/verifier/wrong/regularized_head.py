# expects: A layer has a regularizer
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    apart = ops.abs(encoder(left) - encoder(right))
    head = layers.Dense(1, activation="sigmoid", activity_regularizer=keras.regularizers.L2(0.1))
    return keras.Model([left, right], head(apart))
