# expects: Your code stopped with `InvalidArgumentError` in line
# takes the first column of the targets, so only shape (batch, 1) works; it fails for targets of shape (batch,)
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    cosine = row_cosines(embeddings)
    wanted = ops.cast(targets, cosine.dtype)[:, 0]
    return ops.mean(ops.square(cosine - wanted))
