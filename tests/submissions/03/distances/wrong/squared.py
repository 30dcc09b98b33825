# expects: These are *squared* distances: the square root is missing
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6
    far = ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6
    return near, far
