def triplet_loss(targets, embeddings, margin=1.0):
    gaps = embeddings[:, 1:] - embeddings[:, :1]
    distances = ops.sqrt(ops.sum(gaps * gaps, axis=2) + 1e-6)
    violation = distances[:, 0] - distances[:, 1] + margin
    return ops.mean(violation + ops.absolute(violation)) / 2
