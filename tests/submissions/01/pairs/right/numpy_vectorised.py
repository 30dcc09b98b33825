def classic_pairs(labels, batch_size, rng):
    """Every count-th row of one permutation is a batch."""
    order = rng.permutation(len(labels))
    count = 2 * (len(labels) // (2 * batch_size))
    for start in range(0, count, 2):
        left, right = order[start::count], order[start + 1 :: count]
        yield left[: len(right)], right


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    left = rng.permutation(n)
    similar = rng.permutation(n) < n // 2
    fits = (labels[left][:, None] == labels[None, :]) == similar[:, None]
    fits[np.arange(n), left] = False
    right = (rng.random((n, n)) * fits).argmax(axis=1)
    for begin in range(0, n, batch_size):
        end = begin + batch_size
        yield left[begin:end], right[begin:end]
