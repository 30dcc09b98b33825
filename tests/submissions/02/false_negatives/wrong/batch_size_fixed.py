# expects: rows; batch_size is
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // 32), np.unique(groups, return_counts=True)[1].max())
    return [order[start::count] for start in range(count)]
