# expects: These are absolute differences. Square them
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    return keras.losses.mean_absolute_error(ops.reshape(targets, (-1,)), row_cosines(embeddings))
