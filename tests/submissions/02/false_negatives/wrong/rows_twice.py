# expects: Some rows appear twice in an epoch.
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    return [order[start : start + count] for start in range(count)]
