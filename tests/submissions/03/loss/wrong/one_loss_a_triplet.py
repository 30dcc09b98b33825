# expects: This is one loss a triplet, and a loss is one number
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, near - far + margin)
