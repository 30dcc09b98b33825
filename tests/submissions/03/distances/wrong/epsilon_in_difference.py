# expects: The 1e-6 is added to the differences: squared, it is almost
# adds the epsilon to every difference before squaring (as PyTorch's pairwise distance does) instead of 1e-6 to the sum of squares; two equal embeddings get 1e-6 * sqrt(dim) instead of 1e-3.
def triplet_distances(embeddings):
    def distance(a, b):
        return ops.sqrt(ops.sum(ops.square(a - b + 1e-6), axis=-1))

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
