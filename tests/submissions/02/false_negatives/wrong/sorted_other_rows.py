# expects: In 12 cases, two rows of the same group are in one batch. Fo
# sorts the shuffled rows by the groups in their original order (groups instead of groups[order]), so rows of one group are not adjacent and can meet in a batch
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    n = len(groups)
    largest = int(np.unique(groups, return_counts=True)[1].max())
    count = max(largest, int(np.ceil(n / batch_size)))
    order = rng.permutation(n)
    order = order[np.argsort(groups, kind="stable")]
    return [order[start::count] for start in range(count)]
