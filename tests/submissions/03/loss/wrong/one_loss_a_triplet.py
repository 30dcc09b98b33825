# expects: This is one loss per triplet
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, near - far + margin)
