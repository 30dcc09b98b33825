def shuffled_rows(labels, rng):
    rows = np.arange(len(labels), dtype="int32")
    rng.shuffle(rows)
    return rows


def partner_of(row, labels, rng):
    own_class = labels == labels[row]
    candidates = np.flatnonzero(own_class if rng.random() < 0.5 else ~own_class)
    return rng.choice(candidates[candidates != row])


def classic_pairs(labels, batch_size, rng):
    batches = np.array_split(shuffled_rows(labels, rng), len(labels) // (2 * batch_size) * 2)
    while batches:
        left, right = batches.pop(0), batches.pop(0)
        shorter = min(left.size, right.size)
        yield left[:shorter], right[:shorter]


def balanced_pairs(labels, batch_size, rng):
    rows = shuffled_rows(labels, rng)
    for begin in range(0, len(rows), batch_size):
        left = rows[begin : begin + batch_size]
        yield left, np.array([partner_of(row, labels, rng) for row in left])
