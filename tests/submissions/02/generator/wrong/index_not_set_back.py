# expects: the index must go back to 0 there
# the published version's mistake
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    order = list(range(len(left)))
    if shuffle:
        rng.shuffle(order)
    a, b, idx = [], [], 0
    while True:
        if idx >= len(left):
            idx = len(left)
            if shuffle:
                rng.shuffle(order)
        a.append(left[order[idx]])
        b.append(right[order[idx]])
        idx += 1
        if len(a) == batch_size:
            longest = max(len(q) for q in a + b)
            length = 2 ** int(np.ceil(np.log2(longest)))
            yield (
                np.array([q + [1] * (length - len(q)) for q in a]),
                np.array([q + [1] * (length - len(q)) for q in b]),
            )
            a, b = [], []
