# expects: The different partners of class
# in balanced_pairs, a different partner always comes from the next class, not from all other classes; with three or more classes, a left row of class 0 never gets a partner of class 2.
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        size = min(len(left), len(right))
        yield left[:size], right[:size]


def balanced_pairs(labels, batch_size, rng):
    classes, codes = np.unique(labels, return_inverse=True)
    rows_of = [np.flatnonzero(codes == c) for c in range(len(classes))]
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = []
        for row in left:
            if rng.random() < 0.5:
                mates = rows_of[codes[row]]
                right.append(rng.choice(mates[mates != row]))
            else:
                right.append(rng.choice(rows_of[(codes[row] + 1) % len(classes)]))
        yield left, np.array(right)
