# expects: A later batch changes an earlier one: the same array or list is filled again and again. Ma
# balanced_pairs yields views of the same two arrays each time; list(balanced_pairs(...)) with two or more batches has only the last one's rows.
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[::2], batches[1::2]):
        shorter = min(len(left), len(right))
        yield left[:shorter], right[:shorter]


def balanced_pairs(labels, batch_size, rng):
    order = rng.permutation(len(labels))
    members = {label: np.flatnonzero(labels == label) for label in np.unique(labels)}
    others = {label: np.flatnonzero(labels != label) for label in members}
    # Allocate once, fill for each batch
    left = np.empty(batch_size, dtype=order.dtype)
    right = np.empty(batch_size, dtype=order.dtype)
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        left[: len(rows)] = rows
        for i, row in enumerate(rows):
            if rng.random() < 0.5:
                mine = members[labels[row]]
                right[i] = rng.choice(mine[mine != row])
            else:
                right[i] = rng.choice(others[labels[row]])
        yield left[: len(rows)], right[: len(rows)]
