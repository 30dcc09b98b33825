# expects: A value is off
# the norms have no axis, so they are those of the whole batch; right for a batch of one, it shows for any larger batch
def row_cosines(embeddings):
    u, v = embeddings[:, 0], embeddings[:, 1]
    return ops.sum(u * v, axis=-1) / (ops.norm(u) * ops.norm(v))


def regression_loss(targets, embeddings):
    cosine = row_cosines(embeddings)
    wanted = ops.cast(ops.reshape(targets, (-1,)), cosine.dtype)
    return ops.mean(ops.square(cosine - wanted))
