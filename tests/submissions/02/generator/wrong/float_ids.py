# expects: and type float64; expected (batch, length) of integers.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            rows.append(i)
            if len(rows) == batch_size:
                longest = max(max(len(left[r]), len(right[r])) for r in rows)
                sides = np.ones((2, batch_size, 2 ** int(np.ceil(np.log2(longest)))))
                for k, r in enumerate(rows):
                    sides[0, k, : len(left[r])] = left[r]
                    sides[1, k, : len(right[r])] = right[r]
                yield sides[0], sides[1]
                rows = []
