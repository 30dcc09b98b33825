# expects: A value is off
# mean_pooling leaves out the first token <s>, although the text says that it counts as a real token; wrong for every sentence.
def mean_pooling(states, padding_mask):
    states, padding_mask = states[:, 1:], padding_mask[:, 1:]
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.max(states * mask - 1e4 * (1.0 - mask), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
