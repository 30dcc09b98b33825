# expects: A value is off
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.softplus(near - far + margin))
