# expects: The hinge is squared
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.square(ops.maximum(0.0, near - far + margin)))
