# expects: No gradient flows through your code
def as_arrays(states, padding_mask):
    return np.asarray(states), np.asarray(padding_mask)[:, :, np.newaxis]


def mean_pooling(states, padding_mask):
    states, real = as_arrays(states, padding_mask)
    return (states * real).sum(axis=1) / real.sum(axis=1)


def max_pooling(states, padding_mask):
    states, real = as_arrays(states, padding_mask)
    return np.where(real, states, -np.inf).max(axis=1)


def cls_pooling(states, padding_mask):
    return np.asarray(states)[:, 0, :]
