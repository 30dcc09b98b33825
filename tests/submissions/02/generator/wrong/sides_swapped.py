# expects: Left and right are swapped.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    a, b = [], []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            a.append(left[i])
            b.append(right[i])
            if len(a) == batch_size:
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                a = np.array([q + [1] * (length - len(q)) for q in a])
                b = np.array([q + [1] * (length - len(q)) for q in b])
                yield b, a
                a, b = [], []
