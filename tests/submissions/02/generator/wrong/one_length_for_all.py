# expects: Each batch needs its own length
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    longest = max(len(q) for q in left + right)
    length = 2 ** int(np.ceil(np.log2(longest)))
    left = np.array([q + [1] * (length - len(q)) for q in left])
    right = np.array([q + [1] * (length - len(q)) for q in right])
    rows = []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            rows.append(i)
            if len(rows) == batch_size:
                yield left[rows], right[rows]
                rows = []
