# expects: The result is `None`: is a `return` missing?
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    mean = ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    real = ops.expand_dims(padding_mask, -1)
    largest = ops.max(ops.where(real > 0, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    first = states[:, 0]
