# expects: A batch has
# rounds the number of batches down, so batches exceed batch_size when n is no multiple of it and no group is large
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    n = len(groups)
    largest = int(np.unique(groups, return_counts=True)[1].max())
    count = max(largest, n // batch_size)
    order = rng.permutation(n)
    order = order[np.argsort(groups[order], kind="stable")]
    return [order[start::count] for start in range(count)]
