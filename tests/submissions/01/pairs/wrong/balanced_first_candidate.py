# expects: Only a few rows are ever chosen as partners
# takes the first row that fits
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    left = rng.permutation(len(labels))
    right = []
    for row in left:
        fits = (labels == labels[row]) == (rng.random() < 0.5)
        fits[row] = False
        right.append(fits.argmax())
    right = np.array(right)
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
