# expects: A batch has 33 rows; batch_size is 32.
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = (labels == labels[row]) == (rng.random() < 0.5)
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    steps = len(left) // batch_size
    yield from zip(np.array_split(left, steps), np.array_split(right, steps))
