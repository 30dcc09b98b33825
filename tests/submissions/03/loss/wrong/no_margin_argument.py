# expects: takes 2 positional arguments but 3 were given
def triplet_loss(targets, embeddings):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far + 1.0))
