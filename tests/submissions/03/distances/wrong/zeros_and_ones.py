# expects: A value is off
def triplet_distances(embeddings):
    batch = embeddings.shape[0]
    return ops.zeros(batch), ops.ones(batch)
