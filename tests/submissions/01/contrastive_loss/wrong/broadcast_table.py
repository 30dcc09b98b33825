# expects: Each label is combined with each distance, in a (batch, batch) table: the distances have s
# ops.split keeps the axis of length 1, so (batch,) times (batch, 1) is a table that mixes the pairs; any batch with both similar and different pairs.
def contrastive_loss(same, embeddings, margin=5.0):
    left, right = ops.split(embeddings, 2, axis=1)
    squared = ops.sum(ops.square(left - right), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(0.0, margin - distance))
    return ops.mean(same * pull + (1.0 - same) * push)
