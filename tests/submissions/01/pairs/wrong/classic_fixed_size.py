# expects: 43 of 1003 rows are in no pair. Cut *all* rows into an even
# classic_pairs cuts batches of exactly batch_size and drops the remaining rows, instead of cutting the whole permutation into nearly equal batches; n = 1000, batch_size = 128 loses 232 rows.
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    order = rng.permutation(n)
    for start in range(0, n - 2 * batch_size + 1, 2 * batch_size):
        middle = start + batch_size
        yield order[start:middle], order[middle : middle + batch_size]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = np.empty_like(left)
        for i, row in enumerate(left):
            mates = np.flatnonzero((labels == labels[row]) == (rng.random() < 0.5))
            right[i] = rng.choice(mates[mates != row])
        yield left, right
