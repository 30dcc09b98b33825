# expects: This is one value per pair, and a loss is one number
def row_cosines(embeddings):
    lengths = ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True) + 1e-12)
    unit = embeddings / lengths
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    return ops.square(row_cosines(embeddings) - ops.reshape(targets, (-1,)))
