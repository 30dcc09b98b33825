# expects: The different partners of class 0 come from only 1 other class(es)
# a different partner always comes from the next class, and never from the others
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        yield left[: len(right)], right[: len(left)]


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
