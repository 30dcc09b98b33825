# expects: These are group numbers.
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    return [groups[order[start::count]] for start in range(count)]
