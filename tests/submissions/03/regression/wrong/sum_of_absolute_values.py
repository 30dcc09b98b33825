# expects: The embeddings are divided by the sum of their absolute values
def row_cosines(embeddings):
    unit = embeddings / ops.norm(embeddings, ord=1, axis=-1, keepdims=True)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
