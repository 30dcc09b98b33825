# expects: The mean is taken first and `max(0, ...)` of it
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, ops.mean(near - far) + margin)
