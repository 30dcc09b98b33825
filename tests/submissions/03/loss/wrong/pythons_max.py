# expects: Python's own `max` cannot compare arrays
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(max(0.0, near - far + margin))
