# expects: All rows were summed into one number
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum((anchor - positive) ** 2) + 1e-6)
    far = ops.sqrt(ops.sum((anchor - negative) ** 2) + 1e-6)
    return near, far
