# expects: The padding comes first.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                length = 2 ** int(np.ceil(np.log2(max(len(q) for q in a + b))))
                a = np.array([[1] * (length - len(q)) + q for q in a])
                b = np.array([[1] * (length - len(q)) + q for q in b])
                yield a, b
                rows = []
