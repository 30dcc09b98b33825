# expects: two rows of the same group are in one batch. For example, batch 1 has
def group_batches(groups, batch_size, rng):
    return np.array_split(rng.permutation(len(groups)), -(-len(groups) // batch_size))
