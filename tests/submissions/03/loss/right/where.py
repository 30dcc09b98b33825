def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    gap = near + margin - far
    return ops.mean(ops.where(gap > 0, gap, ops.zeros_like(gap)))
