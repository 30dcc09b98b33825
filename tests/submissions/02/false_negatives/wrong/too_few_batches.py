# expects: two rows of one group are in a batch.
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = -(-len(groups) // batch_size)
    return [order[start::count] for start in range(count)]
