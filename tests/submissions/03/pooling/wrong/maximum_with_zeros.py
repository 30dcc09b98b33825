# expects: The padding is set to
# for the maximum, padding is set to 0 instead of -10000, so a dimension with only negative values gives 0; shown by negative states beside padding.
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask, axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
