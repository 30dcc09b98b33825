# expects: The margin is missing: equal distances would be enough
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far))
