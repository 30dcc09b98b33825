# expects: The lengths are taken along axis 1, across the two sides of a pair
def row_cosines(embeddings):
    lengths = ops.sqrt(ops.sum(ops.square(embeddings), axis=1, keepdims=True))
    unit = embeddings / lengths
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
