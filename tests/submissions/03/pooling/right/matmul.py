def mean_pooling(states, padding_mask):
    row = ops.expand_dims(ops.cast(padding_mask, states.dtype), 1)
    total = ops.squeeze(ops.matmul(row, states), axis=1)
    return total / ops.maximum(ops.sum(row, axis=-1), 1.0)


def max_pooling(states, padding_mask):
    column = ops.expand_dims(ops.cast(padding_mask, states.dtype), 2)
    return ops.max(column * states + (column - 1.0) * 1e4, axis=1)


def cls_pooling(states, padding_mask):
    return ops.max(states[:, :1], axis=1)
