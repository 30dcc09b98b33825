# expects: Most rows are followed by the next row of the data
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    n = len(left)
    rows = []
    while True:
        order = np.roll(np.arange(n), rng.integers(1, n) if shuffle else 0)
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                yield tuple(
                    np.array([q + [pad] * (length - len(q)) for q in side]) for side in (a, b)
                )
                rows = []
