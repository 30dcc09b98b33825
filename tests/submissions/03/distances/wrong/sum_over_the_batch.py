# expects: The sum runs over the batch (axis 0)
def triplet_distances(embeddings):
    near = ops.sqrt(ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=0) + 1e-6)
    far = ops.sqrt(ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 2]), axis=0) + 1e-6)
    return near, far
