def mean_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, states.dtype)
    weights = mask / ops.sum(mask, axis=1, keepdims=True)
    return ops.einsum("bl,bld->bd", weights, states)


def max_pooling(states, padding_mask):
    real = ops.expand_dims(ops.equal(padding_mask, 1), axis=-1)
    return ops.max(ops.where(real, states, -1e4 * ops.ones_like(states)), axis=1)


def cls_pooling(states, padding_mask):
    return ops.squeeze(states[:, :1], axis=1)
