# expects: After shuffling, left and right no longer match.
def pad_rows(rows, length, pad):
    return np.array([row + [pad] * (length - len(row)) for row in rows])


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    a, b = [], []
    while True:
        n = len(left)
        left_order = rng.permutation(n) if shuffle else range(n)
        right_order = rng.permutation(n) if shuffle else range(n)
        for i, j in zip(left_order, right_order):
            a.append(left[i])
            b.append(right[j])
            if len(a) == batch_size:
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                yield pad_rows(a, length, pad), pad_rows(b, length, pad)
                a, b = [], []
