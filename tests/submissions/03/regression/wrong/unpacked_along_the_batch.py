# expects: The first axis of `embeddings` is the batch, the second one is the sides
def row_cosines(embeddings):
    left, right = ops.normalize(embeddings, axis=-1)
    return ops.sum(left * right, axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
