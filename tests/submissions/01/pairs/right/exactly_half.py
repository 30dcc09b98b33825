def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    return [(a[: len(b)], b[: len(a)]) for a, b in zip(batches[::2], batches[1::2])]


def balanced_pairs(labels, batch_size, rng):
    rows = np.arange(len(labels))
    shuffled = rng.permutation(len(labels))
    for start in range(0, len(labels), batch_size):
        left = shuffled[start : start + batch_size]
        right = np.empty_like(left)
        for place, row in enumerate(left):
            # every other pair of a batch is similar
            suits = (labels == labels[row]) == (place % 2 == 0)
            right[place] = rng.choice(rows[suits & (rows != row)])
        yield left, right
