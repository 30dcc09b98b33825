# expects: The default margin must be 5
def contrastive_loss(same, embeddings, margin=1.0):
    squared = ops.sum((embeddings[:, 0] - embeddings[:, 1]) ** 2, axis=-1)
    hinge = ops.maximum(0.0, margin - ops.sqrt(squared + 1e-6))
    return ops.mean(same * squared + (1 - same) * hinge**2) / 2
