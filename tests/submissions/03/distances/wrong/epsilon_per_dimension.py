# expects: The 1e-6 is added to every square, once for each dimension.
# the epsilon is inside the sum, so it is added once for every dimension; it shows for (nearly) equal embeddings with dim > 1, where the distance is sqrt(dim) times too large
def triplet_distances(embeddings):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = ops.sqrt(ops.sum(ops.square(anchor - positive) + 1e-6, axis=-1))
    far = ops.sqrt(ops.sum(ops.square(anchor - negative) + 1e-6, axis=-1))
    return near, far
