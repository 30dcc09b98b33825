# expects: This is the cosine of the whole batch, every left side with every right one
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    left, right = unit[:, 0], unit[:, 1]
    return ops.matmul(left, ops.transpose(right))


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
