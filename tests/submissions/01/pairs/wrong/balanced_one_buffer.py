# expects: A later batch changes an earlier one
def classic_pairs(labels, batch_size, rng):
    batches = np.array_split(rng.permutation(len(labels)), 2 * (len(labels) // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    buffer = np.empty((2, batch_size), dtype=int)
    order = rng.permutation(len(labels))
    for begin in range(0, len(order), batch_size):
        rows = order[begin : begin + batch_size]
        for place, row in enumerate(rows):
            candidates = np.flatnonzero((labels == labels[row]) == (rng.random() < 0.5))
            buffer[:, place] = row, rng.choice(candidates[candidates != row])
        yield buffer[0, : len(rows)], buffer[1, : len(rows)]
