def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    order = rng.permutation(n)
    count = 2 * (n // (2 * batch_size))
    borders = [i * n // count for i in range(count + 1)]
    for a, b, c in zip(borders[0:-2:2], borders[1:-1:2], borders[2::2]):
        pairs = min(b - a, c - b)
        yield order[a : a + pairs], order[b : b + pairs]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    inside = {c: np.flatnonzero(labels == c) for c in np.unique(labels)}
    outside = {c: np.flatnonzero(labels != c) for c in np.unique(labels)}

    def partner(row):
        c = labels[row]
        if rng.integers(2):
            return rng.choice(outside[c])
        chosen = row
        while chosen == row:
            chosen = rng.choice(inside[c])
        return chosen

    waiting = rng.permutation(len(labels))
    while len(waiting) > 0:
        left, waiting = waiting[:batch_size], waiting[batch_size:]
        yield left, np.array([partner(row) for row in left])
