def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    count = 2 * (n // (2 * batch_size))
    order = rng.permutation(n)
    sizes = np.full(count, n // count) + (np.arange(count) < n % count)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    for first in range(0, count, 2):
        size = min(sizes[first], sizes[first + 1])
        a, b = starts[first], starts[first + 1]
        yield order[a : a + size], order[b : b + size]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    _, classes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    by_class = np.argsort(classes, kind="stable")
    place = np.empty(n, dtype=int)
    place[by_class] = np.arange(n)
    size = sizes[classes]
    start = (np.cumsum(sizes) - sizes)[classes]
    # A step of 1 to size - 1 places, round the class, never ends at the row itself
    similar = start + (place - start + rng.integers(1, size)) % size
    # A place among the n - size rows of other classes; the row's class is skipped
    different = rng.integers(0, n - size)
    different = different + np.where(different >= start, size, 0)
    partner = by_class[np.where(rng.random(n) < 0.5, similar, different)]
    order = rng.permutation(n)
    for begin in range(0, n, batch_size):
        left = order[begin : begin + batch_size]
        yield left, partner[left]
