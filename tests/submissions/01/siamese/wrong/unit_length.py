# expects: The output is not the encoder's embeddings
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], ops.normalize(embeddings, axis=-1))
