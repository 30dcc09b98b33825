# expects: The targets are not used: every pair is pulled together
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    return ops.mean(ops.square(1 - row_cosines(embeddings)))
