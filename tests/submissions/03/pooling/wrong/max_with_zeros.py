# expects: The padding is set to
# max_pooling sets the padding to 0 instead of a very negative number, so a dimension that is negative in all real tokens gets 0 if the sentence has padding.
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask, axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
