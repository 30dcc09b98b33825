# expects: The margin is inside the square
def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    pull = 0.5 * squared
    push = 0.5 * ops.maximum(0.0, margin**2 - squared)
    return ops.mean(same * pull + (1 - same) * push)
