# expects: The embeddings are added
def euclidean_distance(left, right):
    total = ops.sum(ops.square(left + right), axis=-1)
    return ops.sqrt(total + 1e-6)
