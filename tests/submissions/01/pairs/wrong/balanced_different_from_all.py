# expects: For a different pair, the partner is drawn from all rows
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    left = rng.permutation(n)
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = np.ones(n, dtype=bool)
        if rng.random() < 0.5:
            candidates = labels == labels[row]
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, n, batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
