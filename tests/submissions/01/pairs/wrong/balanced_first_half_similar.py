# expects: Some batches have only similar pairs, or only different ones
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for step in range(len(rows) // (2 * batch_size)):
        begin = 2 * step * batch_size
        middle, end = begin + batch_size, begin + 2 * batch_size
        yield rows[begin:middle], rows[middle:end]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = (labels == labels[row]) == (place < len(left) // 2)
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
