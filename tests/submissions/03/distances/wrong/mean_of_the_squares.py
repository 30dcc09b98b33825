# expects: The squares are averaged over the dimensions
def triplet_distances(embeddings):
    def distance(left, right):
        return ops.sqrt(ops.mean(ops.square(left - right), axis=-1) + 1e-6)

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
