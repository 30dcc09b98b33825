def mean_pooling(states, padding_mask):
    weights = ops.cast(padding_mask, states.dtype)
    weights = weights / ops.sum(weights, axis=1, keepdims=True)
    return ops.einsum("bl,bld->bd", weights, states)


def max_pooling(states, padding_mask):
    real = ops.expand_dims(padding_mask, -1) > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return ops.take(states, 0, axis=1)
