averaged = keras.layers.GlobalAveragePooling1D()


def mean_pooling(states, padding_mask):
    return averaged(states, mask=padding_mask)


def max_pooling(x, m):
    m = ops.cast(m, x.dtype)
    m = ops.reshape(m, (*m.shape, 1))
    return ops.max(x * m + (m - 1.0) * 1e4, axis=1)


def cls_pooling(x, _):
    return x[:, 0, :]
