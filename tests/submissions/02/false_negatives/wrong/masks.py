# expects: holds bool values; expected row indices, which are integers.
def group_batches(groups, batch_size, rng):
    return [groups == group for group in np.unique(groups)]
