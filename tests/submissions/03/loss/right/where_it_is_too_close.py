def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    missing = near + margin - far
    paid = ops.where(missing > 0, missing, ops.zeros_like(missing))
    return ops.sum(paid) / ops.cast(ops.size(paid), paid.dtype)
