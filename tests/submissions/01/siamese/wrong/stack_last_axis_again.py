# expects: The embeddings are stacked along the last axis, to (batch, dim,
# stacks on the last axis, (batch, dim, 2); with dim = 2 the shape looks right, but output[:, 0] isn't the left embedding.
def build_siamese(encoder):
    left = keras.Input((784,))
    right = keras.Input((784,))
    return keras.Model([left, right], ops.stack([encoder(left), encoder(right)], axis=-1))
