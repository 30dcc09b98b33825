# expects: Each label is combined with each distance, in a (batch, batch) table: the distances have s
# the distances have shape (batch, 1), so the product with same (batch,) mixes every label with every pair; shows for a batch of several pairs of both kinds with different distances
def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    same = ops.cast(same, embeddings.dtype)
    left, right = embeddings[:, 0], embeddings[:, 1]
    squared = ops.sum(ops.square(left - right), axis=-1, keepdims=True)
    distance = ops.sqrt(squared + 1e-6)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(margin - distance, 0.0))
    return ops.mean(same * pull + (1.0 - same) * push)
