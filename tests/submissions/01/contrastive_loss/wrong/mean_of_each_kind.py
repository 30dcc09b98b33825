# expects: A value is off
# adds the mean over similar pairs to the mean over different pairs instead of taking one mean over the batch; shows for every batch with both kinds (about twice the loss, or more)
def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    same = ops.cast(same, embeddings.dtype)
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(margin - distance, 0.0))
    similar = ops.sum(same * pull) / ops.maximum(ops.sum(same), 1.0)
    different = ops.sum((1.0 - same) * push) / ops.maximum(ops.sum(1.0 - same), 1.0)
    return similar + different
