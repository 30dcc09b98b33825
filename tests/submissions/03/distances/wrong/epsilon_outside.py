# expects: The epsilon is outside the square root
def triplet_distances(embeddings):
    def distance(left, right):
        return ops.sqrt(ops.sum(ops.square(left - right), axis=-1)) + 1e-6

    return distance(embeddings[:, 0], embeddings[:, 1]), distance(
        embeddings[:, 0], embeddings[:, 2]
    )
