# expects: compares the margin with the *squared* distance
def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    push = 0.5 * ops.square(ops.maximum(0.0, margin - squared))
    return ops.mean(same * 0.5 * squared + (1 - same) * push)
