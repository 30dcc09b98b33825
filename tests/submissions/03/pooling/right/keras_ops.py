def mean_pooling(states, padding_mask):
    weights = ops.cast(padding_mask, "float32")
    weights = weights / ops.sum(weights, axis=-1, keepdims=True)
    return ops.squeeze(ops.matmul(weights[:, None, :], states), axis=1)


def max_pooling(states, padding_mask):
    lowered = ops.where(ops.equal(padding_mask, 0)[..., None], ops.full_like(states, -1e4), states)
    return ops.amax(lowered, axis=-2)


def cls_pooling(states, padding_mask):
    return ops.squeeze(ops.take(states, [0], axis=1), axis=1)
