# expects: A value is off
# takes the mean of the similar pairs' mean and the different pairs' mean instead of the mean over the pairs; a batch with one similar and three different pairs.
def contrastive_loss(same, embeddings, margin=5.0):
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
    push = ops.square(ops.relu(margin - distance))
    similar = ops.sum(same * squared) / ops.maximum(ops.sum(same), 1.0)
    different = ops.sum((1.0 - same) * push) / ops.maximum(ops.sum(1.0 - same), 1.0)
    return 0.5 * (0.5 * similar + 0.5 * different)
