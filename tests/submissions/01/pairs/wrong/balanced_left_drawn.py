# expects: The left sides must contain every row exactly once
# draws the left sides, some of them twice
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        yield left[: len(right)], right[: len(left)]


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
