# expects: The embeddings are stacked along the last axis
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=-1))
