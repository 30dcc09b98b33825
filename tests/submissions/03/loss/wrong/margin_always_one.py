# expects: The margin is always 1. Use the argument `margin`
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far + 1.0))
