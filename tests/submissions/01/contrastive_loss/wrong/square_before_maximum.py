# expects: The max(0, ...) is missing: different pairs that are farther
# squares margin - D before the maximum, so the maximum does nothing; a different pair beyond the margin (D = 7, margin 5) has loss 2 instead of 0.
def contrastive_loss(same, embeddings, margin=5.0):
    squares = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    distance = ops.sqrt(squares + 1e-6)
    pull = 0.5 * squares
    push = 0.5 * ops.maximum(0.0, ops.square(margin - distance))
    return ops.mean(same * pull + (1.0 - same) * push)
