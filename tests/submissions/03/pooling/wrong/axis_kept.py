# expects: The result has shape (batch, 1, dim). Expected (batch, dim): leave out `keepdims`
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    total = ops.sum(states * real, axis=1, keepdims=True)
    return total / ops.sum(real, axis=1, keepdims=True)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
