# expects: This is the sum over the pairs, which grows with the batch. Take the mean.
# adds the squared errors up instead of averaging them; it shows for every batch larger than one with an error
def row_cosines(embeddings):
    unit = ops.normalize(embeddings, axis=-1)
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    cosine = row_cosines(embeddings)
    wanted = ops.cast(ops.reshape(targets, (-1,)), cosine.dtype)
    return ops.sum(ops.square(cosine - wanted))
