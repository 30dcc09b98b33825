def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(ops.diff(embeddings, axis=1)), axis=(1, 2))
    gap = ops.minimum(ops.sqrt(squared + 1e-6) - margin, 0.0)
    different = 1.0 - same
    return 0.5 * ops.mean(same * squared + different * ops.square(gap))
