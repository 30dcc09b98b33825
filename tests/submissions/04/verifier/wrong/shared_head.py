# expects: A second call, with another encoder, returns a model that shares weights with the first ca
# the dense layer is made once, outside the function, so all verifiers share its weights; shows when two verifiers are built
head = layers.Dense(1, activation="sigmoid")


def build_verifier(encoder):
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    difference = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], head(difference))
