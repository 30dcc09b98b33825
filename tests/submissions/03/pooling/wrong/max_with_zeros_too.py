# expects: The padding is set to
# the maximum sets padding to 0 instead of -10^4; it shows for a padded row with a dimension where all real tokens are negative
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask, axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
