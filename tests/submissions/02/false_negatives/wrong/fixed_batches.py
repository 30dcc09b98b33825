# expects: The same rows share a batch whatever the `rng`
def group_batches(groups, batch_size, rng):
    order = np.argsort(groups, kind="stable")
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    return [rng.permutation(order[start::count]) for start in rng.permutation(count)]
