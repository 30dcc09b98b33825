# expects: rows are in no pair
def classic_pairs(labels, batch_size, rng):
    """Batches of exactly batch_size rows; what is left over rests until the next epoch."""
    steps = len(labels) // (2 * batch_size)
    rows = rng.permutation(len(labels))[: 2 * steps * batch_size]
    for left, right in rows.reshape(steps, 2, batch_size):
        yield left, right


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
