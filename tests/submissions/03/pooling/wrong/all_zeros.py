# expects: A value is off: 0, where
def mean_pooling(states, padding_mask):
    return ops.zeros((states.shape[0], states.shape[2]))


def max_pooling(states, padding_mask):
    return ops.zeros((states.shape[0], states.shape[2]))


def cls_pooling(states, padding_mask):
    return ops.zeros((states.shape[0], states.shape[2]))
