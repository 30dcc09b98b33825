# expects: The left sides must be every row exactly once
# draws the left sides, some of them twice
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for step in range(len(rows) // (2 * batch_size)):
        begin = 2 * step * batch_size
        middle, end = begin + batch_size, begin + 2 * batch_size
        yield rows[begin:middle], rows[middle:end]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    left = rng.integers(0, n, size=n)
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = (labels == labels[row]) == (rng.random() < 0.5)
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, n, batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
