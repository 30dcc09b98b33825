# expects: A row always gets the same partner
# looks for the next row that fits, instead of drawing one
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        yield left[: len(right)], right[: len(left)]


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
