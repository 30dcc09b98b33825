# expects: every image is paired with itself
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for batch in np.array_split(rows, 2 * (len(rows) // (2 * batch_size))):
        yield batch, batch


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = (labels == labels[row]) == (rng.random() < 0.5)
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
