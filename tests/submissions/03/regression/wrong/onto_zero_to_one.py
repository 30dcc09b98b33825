# expects: A value is off
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    cosines = ops.sum(unit[:, 0] * unit[:, 1], axis=-1)
    return (cosines + 1) / 2


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
