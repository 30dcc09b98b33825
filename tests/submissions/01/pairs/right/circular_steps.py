def classic_pairs(labels, batch_size, rng):
    count = len(labels) // (2 * batch_size)
    batches = iter(np.array_split(rng.permutation(len(labels)), 2 * count))
    for left, right in zip(batches, batches):
        pairs = min(len(left), len(right))
        yield left[:pairs], right[:pairs]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    grouped = np.argsort(labels, kind="stable")
    _, kind, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(n, dtype=int)
    place[grouped] = np.arange(n)

    left = rng.permutation(n)
    size, start = sizes[kind[left]], starts[kind[left]]
    similar = start + (place[left] - start + rng.integers(1, size)) % size
    different = (start + size + rng.integers(0, n - size)) % n
    right = grouped[np.where(rng.random(n) < 0.5, similar, different)]
    for first in range(0, n, batch_size):
        yield left[first : first + batch_size], right[first : first + batch_size]
