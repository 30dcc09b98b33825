# expects: The labels are swapped: here `same` is
# uses the paper's convention (0 is similar), so similar pairs are pushed apart; shows for nearly every pair, such as a similar one 5 apart with margin 6
def contrastive_loss(same, embeddings, margin=5.0):
    embeddings = ops.convert_to_tensor(embeddings)
    same = ops.cast(same, embeddings.dtype)
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    distance = ops.sqrt(squared + 1e-6)
    pull = 0.5 * squared
    push = 0.5 * ops.square(ops.maximum(margin - distance, 0.0))
    return ops.mean((1.0 - same) * pull + same * push)
