# expects: The embeddings are stacked along the last axis, to (batch, dim,
# stacks along the last axis, (batch, dim, 2) instead of (batch, 2, dim); for dim = 2 the shape looks right, but output[:, 0] isn't the left embedding.
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=-1))
