# expects: 0.00216439 was expected
def triplet_distances(embeddings):
    def distance(a, b):
        return ops.sqrt(ops.maximum(ops.sum(ops.square(a - b), axis=-1), 1e-6))

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
