# expects: The shapes don't match. The states are (batch, length, dim)
def mean_pooling(states, padding_mask):
    real = ops.cast(padding_mask, states.dtype)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
