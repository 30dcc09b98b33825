def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield np.stack([left[:length], right[:length]])


def balanced_pairs(labels, batch_size, rng):
    pairs = np.zeros((2, len(labels)), dtype=int)
    pairs[0] = rng.permutation(len(labels))
    for place, row in enumerate(pairs[0]):
        candidates = np.flatnonzero((labels == labels[row]) == (rng.random() < 0.5))
        pairs[1, place] = rng.choice(candidates[candidates != row])
    for begin in range(0, len(labels), batch_size):
        yield pairs[:, begin : begin + batch_size]
