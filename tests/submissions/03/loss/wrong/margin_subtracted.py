# expects: The sign of the margin is reversed
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far - margin))
