# expects: A value is off
# the different pairs never pay
def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    return ops.mean(0.5 * same * squared)
