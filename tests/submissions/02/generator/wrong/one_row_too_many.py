# expects: A batch has 5 and 5 rows; expected batch_size = 4.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    a, b = [], []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            a.append(left[i])
            b.append(right[i])
            if len(a) > batch_size:
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                yield (
                    np.array([q + [1] * (length - len(q)) for q in a]),
                    np.array([q + [1] * (length - len(q)) for q in b]),
                )
                a, b = [], []
