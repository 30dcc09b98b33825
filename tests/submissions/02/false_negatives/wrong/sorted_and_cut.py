# expects: In 89 cases, two rows of the same group are in one batch. For example, batch 1 has
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
