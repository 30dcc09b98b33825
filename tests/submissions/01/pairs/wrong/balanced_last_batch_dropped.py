# expects: Keep the last batch, even though it is shorter
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        yield left[: len(right)], right[: len(left)]


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
