# expects: unexpected keyword argument 'margin'
def triplet_loss(targets, embeddings):
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far + 1.0))
