# expects: the targets broadcast over that table: the mistake in the published example
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    table = ops.matmul(unit[:, 0], ops.transpose(unit[:, 1]))
    return ops.mean(ops.square(table - ops.reshape(targets, (-1, 1))))
