# expects: There is only one row from each group.
def group_batches(groups, batch_size, rng):
    rows = rng.permutation(np.unique(groups, return_index=True)[1])
    return [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]
