# expects: The epsilon is outside the square root, where it doesn't help. Add the
# adds the epsilon after the square root instead of inside, so two equal embeddings still give an infinite derivative (NaN gradients), and a distance of 1e-6 instead of 1e-3.
def triplet_distances(embeddings):
    def distance(a, b):
        return ops.sqrt(ops.sum(ops.square(a - b), axis=-1)) + 1e-6

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
