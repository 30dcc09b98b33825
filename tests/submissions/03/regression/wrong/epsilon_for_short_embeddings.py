# expects: A value is off
# adds 1e-6 under the root of each length, which is far too much for short embeddings; shown by embeddings of length 0.001, where the cosine of a vector with itself is 0.5.
def row_cosines(embeddings):
    u, v = embeddings[:, 0], embeddings[:, 1]
    length_u = ops.sqrt(ops.sum(ops.square(u), axis=-1) + 1e-6)
    length_v = ops.sqrt(ops.sum(ops.square(v), axis=-1) + 1e-6)
    return ops.sum(u * v, axis=-1) / (length_u * length_v)


def regression_loss(targets, embeddings):
    cosines = row_cosines(embeddings)
    targets = ops.cast(ops.reshape(targets, (-1,)), cosines.dtype)
    return ops.mean(ops.square(cosines - targets))
