# expects: inputs and outputs are exchanged
def build_siamese(encoder):
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model(embeddings, [left, right])
