# expects: The different partners of class 0 come from only 1 other class(es)
# a different partner always comes from the next class, and never from the others
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for step in range(len(rows) // (2 * batch_size)):
        begin = 2 * step * batch_size
        middle, end = begin + batch_size, begin + 2 * batch_size
        yield rows[begin:middle], rows[middle:end]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    classes = np.unique(labels)
    following = dict(zip(classes, np.roll(classes, -1)))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        label = labels[row] if rng.random() < 0.5 else following[labels[row]]
        candidates = labels == label
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
