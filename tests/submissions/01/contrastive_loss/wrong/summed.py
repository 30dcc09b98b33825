# expects: this is the sum over the pairs
def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    hinge = ops.maximum(0.0, margin - ops.sqrt(squared + 1e-6))
    return 0.5 * ops.sum(same * squared + (1 - same) * ops.square(hinge))
