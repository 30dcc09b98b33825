# expects: Every cosine is 1: is the left side compared with itself?
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    left = right = unit[:, 0]
    return ops.sum(left * right, axis=-1)


def regression_loss(targets, embeddings):
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
