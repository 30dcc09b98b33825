# expects: leaves none to drop
# cuts by batch_size, so that a short rest is left over
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    batches = [rows[i : i + batch_size] for i in range(0, len(rows), batch_size)]
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = np.empty_like(left)
    for place, row in enumerate(left):
        candidates = (labels == labels[row]) == (rng.random() < 0.5)
        candidates[row] = False
        right[place] = rng.choice(np.flatnonzero(candidates))
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
