# expects: A value is off
# -10 is below the states of a standardized model, and not below those of any transformer
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(ops.where(real > 0, states, -10.0), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
