# expects: Keep the last batch, even though it is shorter
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for step in range(len(rows) // (2 * batch_size)):
        begin = 2 * step * batch_size
        middle, end = begin + batch_size, begin + 2 * batch_size
        yield rows[begin:middle], rows[middle:end]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = left.copy()
    for place, row in enumerate(left):
        similar = rng.random() < 0.5
        while right[place] == row or (labels[right[place]] == labels[row]) != similar:
            right[place] = rng.integers(len(labels))
    for step in range(len(left) // batch_size):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        yield left[batch], right[batch]
