# expects: The padding is set to 0, but still counted
def mean_pooling(states, padding_mask):
    mask = ops.cast(padding_mask, "float32")
    return ops.mean(states * ops.expand_dims(mask, axis=2), axis=1)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
