# expects: The rows of a batch have different lengths: pad them all to the same length.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            rows.append(i)
            if len(rows) == batch_size:
                yield np.array([left[r] for r in rows]), np.array([right[r] for r in rows])
                rows = []
