# expects: The 1e-6 is added to every square, once for each dimension
def triplet_distances(embeddings):
    anchor = embeddings[:, 0]
    near, far = (
        ops.sqrt(ops.sum((anchor - embeddings[:, side]) ** 2 + 1e-6, axis=-1)) for side in (1, 2)
    )
    return near, far
