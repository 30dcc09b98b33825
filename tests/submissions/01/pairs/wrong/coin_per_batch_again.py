# expects: Some batches have only similar pairs, or only different ones. Shuffle which row gets which
# balanced_pairs tosses one coin for each batch, not for each row; every batch is all similar or all different.
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        shorter = min(len(left), len(right))
        yield left[:shorter], right[:shorter]


def balanced_pairs(labels, batch_size, rng):
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        similar = rng.random() < 0.5
        right = []
        for row in left:
            candidates = labels == labels[row] if similar else labels != labels[row]
            candidates[row] = False
            right.append(rng.choice(np.flatnonzero(candidates)))
        yield left, np.array(right)
