# expects: Each label is combined with each distance, in a (batch, batch) table: the distances have s
# keepdims makes the losses (batch, 1), and times same (batch,) that is a (batch, batch) table; wrong for any batch of 2 or more pairs with mixed same.
def contrastive_loss(same, embeddings, margin=5.0):
    difference = embeddings[:, 0] - embeddings[:, 1]
    squares = ops.sum(ops.square(difference), axis=-1, keepdims=True)
    distance = ops.sqrt(squares + 1e-6)
    pull = 0.5 * squares
    push = 0.5 * ops.square(ops.maximum(0.0, margin - distance))
    return ops.mean(same * pull + (1.0 - same) * push)
