# expects: Cut both to the length of the shorter one
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        yield left, right


def balanced_pairs(labels, batch_size, rng):
    order = rng.permutation(len(labels))
    for begin in range(0, len(order), batch_size):
        left = order[begin : begin + batch_size]
        right = []
        for row in left:
            candidates = labels == labels[row] if rng.random() < 0.5 else labels != labels[row]
            candidates[row] = False
            right.append(rng.choice(np.flatnonzero(candidates)))
        yield left, np.array(right)
