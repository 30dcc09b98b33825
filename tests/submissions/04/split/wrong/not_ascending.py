# expects: The indices must be in ascending order, as `np.flatnonzero` returns them.
# the indices are in the order in which the alphabets were drawn, not ascending; any draw of 2 or more alphabets in another order than in the data shows it.
def split_alphabets(alphabets, count, rng):
    order = rng.permutation(np.unique(alphabets))
    held_out = [np.flatnonzero(alphabets == alphabet) for alphabet in order[:count]]
    train = [np.flatnonzero(alphabets == alphabet) for alphabet in order[count:]]
    return np.concatenate(train), np.concatenate(held_out)
