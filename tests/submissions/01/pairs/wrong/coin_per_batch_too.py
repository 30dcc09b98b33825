# expects: Some batches have only similar pairs, or only different ones. Shuffle which row gets which
# balanced_pairs tosses one coin for a whole batch instead of one for each row; shows for any batch_size > 1, whose batches are all similar or all different
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[0::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = np.empty_like(left)
        similar = rng.random() < 0.5
        for i, row in enumerate(left):
            if similar:
                candidates = np.flatnonzero(labels == labels[row])
                candidates = candidates[candidates != row]
            else:
                candidates = np.flatnonzero(labels != labels[row])
            right[i] = rng.choice(candidates)
        yield left, right
