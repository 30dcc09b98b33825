# expects: The generator ends after 3 batch(es).
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    n = len(left)
    order = rng.permutation(n) if shuffle else np.arange(n)
    for start in range(0, n, batch_size):
        rows = order[start : start + batch_size]
        a, b = [left[i] for i in rows], [right[i] for i in rows]
        longest = max(len(q) for q in a + b)
        length = 2 ** int(np.ceil(np.log2(longest)))
        a = [q + [1] * (length - len(q)) for q in a]
        b = [q + [1] * (length - len(q)) for q in b]
        yield np.array(a), np.array(b)
