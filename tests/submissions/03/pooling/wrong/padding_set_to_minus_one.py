# expects: where all real values are below -1
def mean_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, states.dtype)[:, :, None]
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, states.dtype)[:, :, None]
    return ops.max(states * mask - (1 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
