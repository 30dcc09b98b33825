# expects: The markers <s> and </s> are left out
# leaves the markers out: nothing remains of an empty sentence
def mean_pooling(states, padding_mask):
    rows = []
    for state, mask in zip(np.asarray(states), np.asarray(padding_mask)):
        words = state[1 : mask.sum() - 1]
        rows.append(words.mean(axis=0))
    return np.array(rows)


def max_pooling(states, padding_mask):
    real = padding_mask[:, :, None] > 0
    return ops.max(ops.where(real, states, -1e4), axis=1)


def cls_pooling(states, padding_mask):
    return states[:, 0]
