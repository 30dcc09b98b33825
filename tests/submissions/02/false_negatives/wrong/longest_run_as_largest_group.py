# expects: In 13 cases, two rows of the same group are in one batch. Fo
# takes the longest run of equal neighbors for the largest group, so there are too few batches if the rows aren't sorted by group; shown by groups [0, 1, 0, 2, 0, 3] with batch_size 6 (one batch with three rows of group 0).
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    n = len(groups)
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    largest = np.diff(np.concatenate([starts, [n]])).max()
    number = max(int(np.ceil(n / batch_size)), int(largest))
    order = rng.permutation(n)
    order = order[np.argsort(groups[order], kind="stable")]
    return [order[start::number] for start in range(number)]
