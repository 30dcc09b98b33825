# expects: These are Manhattan distances
def triplet_distances(embeddings):
    anchor = embeddings[:, 0]
    near = ops.sum(ops.abs(anchor - embeddings[:, 1]), axis=-1)
    far = ops.sum(ops.abs(anchor - embeddings[:, 2]), axis=-1)
    return near, far
