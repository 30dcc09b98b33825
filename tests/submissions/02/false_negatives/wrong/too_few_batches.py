# expects: the largest group has 12 rows, each of which needs a batch of its own.
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = -(-len(groups) // batch_size)
    return [order[start::count] for start in range(count)]
