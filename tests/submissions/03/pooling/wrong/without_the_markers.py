# expects: The markers <s> and </s> are left out. They count as real tokens, as the mask says.
# leaves <s> and </s> out of the mean, although they are real tokens; shown by any sentence whose first or last state differs from the mean of the others.
def mean_pooling(states, padding_mask):
    # Only words: without the first token, and without the last real one (the next one isn't real)
    words = ops.expand_dims(ops.cast(padding_mask[:, 2:], states.dtype), -1)
    return ops.sum(states[:, 1:-1] * words, axis=1) / ops.maximum(ops.sum(words, axis=1), 1.0)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask - 1e4 * (1 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
