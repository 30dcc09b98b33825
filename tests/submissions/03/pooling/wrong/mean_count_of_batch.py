# expects: You divide by the real tokens of the whole batch. Every sentence has its own count: `axis=
# the mean divides by the number of real tokens in the whole batch; right for a batch of one only, it shows for any larger batch
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask - 1e4 * (1 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
