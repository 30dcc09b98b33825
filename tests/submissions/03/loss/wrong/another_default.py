# expects: The default margin must be 1
def triplet_loss(targets, embeddings, margin=0.25):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far + margin))
