# expects: 43 of 1003 rows are in no pair. Cut *all* rows into an even
# classic_pairs cuts batches of exactly batch_size and throws the remaining rows away; shows when n isn't a multiple of 2 * batch_size (39 rows with batch_size 10 give 10 pairs instead of 19)
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    order = rng.permutation(len(labels))
    batches = order[: count * batch_size].reshape(count, batch_size)
    for left, right in zip(batches[0::2], batches[1::2]):
        yield left, right


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = np.empty_like(left)
        for i, row in enumerate(left):
            if rng.random() < 0.5:
                candidates = np.flatnonzero(labels == labels[row])
                candidates = candidates[candidates != row]
            else:
                candidates = np.flatnonzero(labels != labels[row])
            right[i] = rng.choice(candidates)
        yield left, right
