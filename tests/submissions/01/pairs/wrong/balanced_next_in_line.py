# expects: A row always gets the same partner
# looks for the next row that fits, instead of drawing one
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for step in range(len(rows) // (2 * batch_size)):
        begin = 2 * step * batch_size
        middle, end = begin + batch_size, begin + 2 * batch_size
        yield rows[begin:middle], rows[middle:end]


def balanced_pairs(labels, batch_size, rng):
    n = len(labels)
    left = rng.permutation(n)
    right = np.empty_like(left)
    for place, row in enumerate(left):
        similar = rng.random() < 0.5
        candidate = (row + 1) % n
        while (labels[candidate] == labels[row]) != similar:
            candidate = (candidate + 1) % n
        right[place] = candidate
    for begin in range(0, n, batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
