# expects: With the labels [0, 0, 1, 1]
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    order = np.argsort(labels, kind="stable")
    partner = np.empty(n, dtype=int)
    for row in range(n):
        own = np.flatnonzero(labels[order] == labels[row])
        if rng.random() < 0.5:
            partner[row] = rng.choice(order[own][order[own] != row])
        else:
            place = rng.integers(0, n - len(own))
            place += len(own) if place >= own[0] else 1  # the rows before the class, and one of it
            partner[row] = order[place] if order[place] != row else order[own[-1]]
    left = rng.permutation(n)
    for start in range(0, n, batch_size):
        rows = left[start : start + batch_size]
        yield rows, partner[rows]
