# expects: For a different pair, the partner is drawn from all rows, including its own class. Leave t
# when the coin says different, balanced_pairs draws from all other rows, also those of the same class; shows most with few classes (two classes: about 75% similar instead of half)
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[0::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    rows = np.arange(len(labels))
    order = rng.permutation(len(labels))
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        right = np.empty_like(left)
        for i, row in enumerate(left):
            if rng.random() < 0.5:
                candidates = rows[(labels == labels[row]) & (rows != row)]
            else:
                candidates = rows[rows != row]
            right[i] = rng.choice(candidates)
        yield left, right
