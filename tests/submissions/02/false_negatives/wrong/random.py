# expects: as in random batches.
def group_batches(groups, batch_size, rng):
    return np.array_split(rng.permutation(len(groups)), -(-len(groups) // batch_size))
