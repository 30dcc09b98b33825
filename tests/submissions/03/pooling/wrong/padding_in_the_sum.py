# expects: The number of real tokens is right, but the padding is still in the sum
def mean_pooling(states, padding_mask):
    count = ops.sum(ops.cast(padding_mask, states.dtype), axis=1)
    return ops.sum(states, axis=1) / count[:, None]


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
