# expects: This is a generator. Return a list
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    for start in range(count):
        yield order[start::count]
