# expects: There are no batches
# the loop begins where the rows end
def classic_pairs(labels, batch_size, rng):
    rows = rng.permutation(len(labels))
    for begin in range(len(rows), 0, batch_size):
        yield rows[begin : begin + batch_size], rows[begin + batch_size : begin + 2 * batch_size]


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
