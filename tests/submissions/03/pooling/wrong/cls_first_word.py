# expects: Indices start at
# CLS takes token 1 (the first word) instead of token 0 (<s>); it shows for every input whose first two states differ
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask - 1e4 * (1 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 1]
