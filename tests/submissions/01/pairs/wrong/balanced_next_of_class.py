# expects: A row always gets the same partner
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        size = min(len(left), len(right))
        yield left[:size], right[:size]


def balanced_pairs(labels, batch_size, rng):
    rows_of = {label: np.flatnonzero(labels == label) for label in np.unique(labels)}
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = []
        for row in left:
            mine = rows_of[labels[row]]
            if rng.random() < 0.5:
                right.append(mine[(np.searchsorted(mine, row) + 1) % len(mine)])
            else:
                right.append(rng.choice(np.flatnonzero(labels != labels[row])))
        yield left, np.array(right)
