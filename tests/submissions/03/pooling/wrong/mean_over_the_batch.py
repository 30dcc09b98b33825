# expects: The mean runs over the batch (axis 0)
def mean_pooling(states, padding_mask):
    return np.mean(states, axis=0)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
