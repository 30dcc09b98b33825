# expects: Some batches have only similar pairs, or only different ones. Shuffle which row gets which
# balanced_pairs tosses one coin for each batch, not for each row; with batch_size = len(labels), all pairs are similar or all are different.
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        size = min(len(left), len(right))
        yield left[:size], right[:size]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        similar = rng.random() < 0.5
        right = []
        for row in left:
            if similar:
                mates = np.flatnonzero(labels == labels[row])
                mates = mates[mates != row]
            else:
                mates = np.flatnonzero(labels != labels[row])
            right.append(rng.choice(mates))
        yield left, np.array(right)
