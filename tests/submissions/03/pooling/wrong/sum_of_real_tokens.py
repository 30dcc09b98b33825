# expects: This is the sum over the real tokens
def mean_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, states.dtype)
    return ops.einsum("bld,bl->bd", states, mask)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
