# expects: The padding is 0, which means unknown.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                longest = max(max(len(left[r]), len(right[r])) for r in rows)
                length = 2 ** int(np.ceil(np.log2(longest)))
                a = np.zeros((batch_size, length), dtype=int)
                b = np.zeros((batch_size, length), dtype=int)
                for k, r in enumerate(rows):
                    a[k, : len(left[r])] = left[r]
                    b[k, : len(right[r])] = right[r]
                yield a, b
                rows = []
