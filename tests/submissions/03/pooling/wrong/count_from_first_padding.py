# expects: The result contains NaN or infinity:
# takes the position of the first padding as the number of tokens, which is 0 for a sentence without padding; shown by a row whose mask is all ones (division by zero).
def mean_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, states.dtype)
    count = ops.cast(ops.argmin(padding_mask, axis=1), states.dtype)
    return ops.sum(states * ops.expand_dims(mask, -1), axis=1) / ops.expand_dims(count, -1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask - 1e4 * (1 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
