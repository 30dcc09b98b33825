# expects: Reshape the targets to (batch,) first
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    error = row_cosines(embeddings) - ops.reshape(targets, (-1, 1))
    return ops.mean(error**2)
