# expects: Pad both to the same length, based on the longest question of either side.
def pad_rows(rows):
    longest = max(len(row) for row in rows)
    length = 2 ** int(np.ceil(np.log2(longest)))
    return np.array([row + [1] * (length - len(row)) for row in rows])


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                yield pad_rows([left[r] for r in rows]), pad_rows([right[r] for r in rows])
                rows = []
