# expects: This is the dot product: long embeddings count more
def row_cosines(embeddings):
    left, right = embeddings[:, 0], embeddings[:, 1]
    return ops.sum(left * right, axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
