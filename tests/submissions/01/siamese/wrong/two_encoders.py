# expects: there is a second network in the model
# builds another encoder for the right side
def build_siamese(encoder):
    left = keras.Input((784,))
    right = keras.Input((784,))
    second = build_encoder(encoder.output_shape[-1])
    return keras.Model([left, right], ops.stack([encoder(left), second(right)], axis=1))
