# expects: Return two arrays of shape (batch,): the distances to the positive
def triplet_distances(embeddings):
    difference = embeddings[:, 0] - embeddings[:, 1]
    return ops.sqrt(ops.sum(ops.square(difference), axis=-1) + 1e-6)
