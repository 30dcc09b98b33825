# expects: Inside the batches the rows are in the order of the data
# shuffles the batches, but in each the rows keep the order of the data
def classic_pairs(labels, batch_size, rng):
    n = len(labels)
    batches = np.array_split(np.arange(n), 2 * (n // (2 * batch_size)))
    order = rng.permutation(len(batches))
    for i, j in zip(order[::2], order[1::2]):
        length = min(len(batches[i]), len(batches[j]))
        yield batches[i][:length], batches[j][:length]


def balanced_pairs(labels, batch_size, rng):
    order = rng.permutation(len(labels))
    for begin in range(0, len(order), batch_size):
        left = order[begin : begin + batch_size]
        right = []
        for row in left:
            candidates = labels == labels[row] if rng.random() < 0.5 else labels != labels[row]
            candidates[row] = False
            right.append(rng.choice(np.flatnonzero(candidates)))
        yield left, np.array(right)
