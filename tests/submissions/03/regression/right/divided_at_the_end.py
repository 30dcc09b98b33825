def row_cosines(pairs):
    u, v = pairs[:, 0, :], pairs[:, 1, :]
    lengths = ops.norm(u, axis=1) * ops.norm(v, axis=1)
    return ops.sum(u * v, axis=1) / ops.maximum(lengths, 1e-9)


def regression_loss(y, pairs):
    cosines = row_cosines(pairs)
    y = ops.cast(ops.ravel(y), cosines.dtype)
    return ops.mean((y - cosines) ** 2)
