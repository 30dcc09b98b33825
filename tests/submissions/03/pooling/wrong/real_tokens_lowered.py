# expects: The mask is reversed: the *real* tokens were lowered
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    real = ops.expand_dims(padding_mask, -1)
    return ops.max(ops.where(real > 0, -1e4, states), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
