# expects: is a `return` missing?
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    siamese = keras.Model([left, right], embeddings)
