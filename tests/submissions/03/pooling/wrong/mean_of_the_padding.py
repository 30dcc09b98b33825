# expects: This is the mean of the *padding*
def mean_pooling(states, padding_mask):
    padding = ops.expand_dims(1.0 - ops.cast(padding_mask, states.dtype), -1)
    count = ops.maximum(ops.sum(padding, axis=1), 1.0)
    return ops.sum(states * padding, axis=1) / count


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
