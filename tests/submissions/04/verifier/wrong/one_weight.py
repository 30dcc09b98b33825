# expects: The dense layer gets one number for each pair
# adds up the differences before the dense layer, so it learns one weight for all dimensions instead of one for each; any encoder with two or more dimensions.
def build_verifier(encoder):
    left, right = (keras.Input(encoder.input_shape[1:]) for _ in range(2))
    distance = ops.sum(ops.abs(encoder(left) - encoder(right)), axis=1, keepdims=True)
    return keras.Model([left, right], layers.Dense(1, activation="sigmoid")(distance))
