# expects: Pad both to one length, that of the longest of both.
def pad(rows):
    longest = max(len(row) for row in rows)
    length = 2 ** int(np.ceil(np.log2(longest)))
    return np.array([row + [1] * (length - len(row)) for row in rows])


def data_generator(left, right, batch_size, shuffle, rng):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                yield pad([left[r] for r in rows]), pad([right[r] for r in rows])
                rows = []
