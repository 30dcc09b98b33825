# expects: The mean is taken before the square
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    return ops.square(ops.mean(row_cosines(embeddings)) - ops.mean(targets))
