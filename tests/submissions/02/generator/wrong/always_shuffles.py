# expects: With shuffle=False the rows of batch 1 are
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        for i in rng.permutation(len(left)):
            rows.append(i)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                a = np.array([q + [1] * (length - len(q)) for q in a])
                b = np.array([q + [1] * (length - len(q)) for q in b])
                yield a, b
                rows = []
