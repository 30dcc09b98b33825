# expects: The padding is counted: an embedding depends on how long the other sentences
def mean_pooling(states, padding_mask):
    return ops.mean(states, axis=1)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
