# expects: The maximum runs over the batch (axis 0)
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    lowered = np.where(np.asarray(padding_mask)[..., None] > 0, states, -1e4)
    return lowered.max(axis=0)


def cls_pooling(states, padding_mask):
    return states[:, 0]
