# expects: In 89 cases two rows of one group are in a batch. For example, batch 1 holds
def group_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
