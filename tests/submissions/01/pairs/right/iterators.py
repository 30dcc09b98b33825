def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = iter(np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size))))
    for left, right in zip(batches, batches):
        both = np.array(list(zip(left, right)))
        yield both[:, 0], both[:, 1]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    n = len(labels)
    members = {label: np.flatnonzero(labels == label) for label in np.unique(labels)}

    def draw(row):
        if rng.integers(2) == 1:
            mine = members[labels[row]]
            while (partner := rng.choice(mine)) == row:
                pass
        else:
            while labels[(partner := rng.integers(n))] == labels[row]:
                pass
        return partner

    waiting = []
    for row in rng.permutation(n):
        waiting.append((row, draw(row)))
        if len(waiting) == batch_size:
            yield tuple(np.array(side) for side in zip(*waiting))
            waiting = []
    if waiting:
        yield tuple(np.array(side) for side in zip(*waiting))
