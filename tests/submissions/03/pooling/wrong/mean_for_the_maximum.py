# expects: This is the mean. Take the largest value of each dimension
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    return mean_pooling(states, padding_mask)


def cls_pooling(states, padding_mask):
    return states[:, 0]
