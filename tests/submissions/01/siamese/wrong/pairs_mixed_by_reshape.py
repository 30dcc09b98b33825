# expects: The embeddings are right, but they are not in the rows and sides of their inputs: `reshape
# concatenates the sides along the batch and reshapes, which puts neighboring left images into one pair; shows for every batch of more than one pair
def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    both = ops.concatenate([encoder(left), encoder(right)], axis=0)
    dim = both.shape[-1]
    return keras.Model([left, right], ops.reshape(both, (-1, 2, dim)))
