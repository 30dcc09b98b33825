# expects: A value is off
# 10 is enough for the numbers of the check, and not for states of a transformer
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    padding = 1.0 - ops.cast(padding_mask, states.dtype)
    return ops.max(states - 10.0 * ops.expand_dims(padding, -1), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
