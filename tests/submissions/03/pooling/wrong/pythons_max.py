# expects: Python's own `max` cannot compare arrays
def mean_pooling(states, padding_mask):
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)


def max_pooling(states, padding_mask):
    rows = []
    for state, mask in zip(states, padding_mask):
        rows.append(max(token for token, real in zip(state, mask) if real))
    return ops.stack(rows)


def cls_pooling(states, padding_mask):
    return states[:, 0]
