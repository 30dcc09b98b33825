# expects: images are paired with themselves
# forgets to leave out the row itself
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        if rng.random() < 0.5:
            right[place] = rng.choice(np.flatnonzero(labels == labels[row]))
        else:
            right[place] = rng.choice(np.flatnonzero(labels != labels[row]))
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
