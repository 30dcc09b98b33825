# expects: `ops.max` finds the largest value of the whole batch
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.maximum(0.0, ops.max(near - far + margin))
