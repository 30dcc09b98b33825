# expects: Left and right are swapped
def build_siamese(encoder):
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([right, left], embeddings)
