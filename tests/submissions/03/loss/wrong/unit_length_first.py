# expects: The embeddings are scaled to unit length first
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(ops.normalize(embeddings, axis=-1))
    return ops.mean(ops.maximum(0.0, near - far + margin))
