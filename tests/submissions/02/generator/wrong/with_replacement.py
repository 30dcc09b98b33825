# expects: After shuffling, some rows come twice in an epoch and others not at all.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    index, n = 0, len(left)
    while True:
        if shuffle:
            rows = rng.choice(n, batch_size)
        else:
            rows = np.arange(index, index + batch_size) % n
            index += batch_size
        a, b = [left[r] for r in rows], [right[r] for r in rows]
        length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
        yield (
            np.array([q + [pad] * (length - len(q)) for q in a]),
            np.array([q + [pad] * (length - len(q)) for q in b]),
        )
