# expects: two rows of one group are in a batch. For example, batch 1 holds
def group_batches(groups, batch_size, rng):
    return np.array_split(rng.permutation(len(groups)), -(-len(groups) // batch_size))
