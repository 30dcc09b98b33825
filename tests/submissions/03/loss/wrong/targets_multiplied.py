# expects: With targets of 0 your loss is 0
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(targets * ops.maximum(0.0, near - far + margin))
