# expects: The mean is taken before `max(0, ...)`
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, ops.mean(near - far) + margin)
