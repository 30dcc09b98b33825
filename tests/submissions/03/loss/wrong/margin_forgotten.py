# expects: The margin is missing: it would be enough if both distances were the same
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far))
