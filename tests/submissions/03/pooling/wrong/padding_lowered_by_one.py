# expects: The padding is lowered by 1 only, and can still win
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    padding = 1 - ops.cast(padding_mask, states.dtype)
    return ops.max(states - padding[:, :, None], axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
