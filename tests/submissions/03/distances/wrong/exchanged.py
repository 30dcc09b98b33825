# expects: Positive and negative are swapped
def triplet_distances(embeddings):
    anchor, negative, positive = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive), axis=-1) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(anchor - negative), axis=-1) + 1e-6)
    return near, far
