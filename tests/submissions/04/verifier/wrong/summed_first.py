# expects: The dense layer gets one number for each pair
# sums the absolute differences before the dense layer, which then has one weight for all dimensions instead of one for each
def build_verifier(encoder):
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    distance = ops.sum(ops.abs(encoder(left) - encoder(right)), axis=1, keepdims=True)
    same = layers.Dense(1, activation="sigmoid")(distance)
    return keras.Model([left, right], same)
