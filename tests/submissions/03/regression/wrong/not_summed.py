# expects: This multiplies element by element, (batch, dim)
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.multiply(unit[:, 0], unit[:, 1])


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
