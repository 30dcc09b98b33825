# expects: Your code changes `left` or `right`
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                a = [left[r] for r in rows]
                b = [right[r] for r in rows]
                longest = max(len(q) for q in a + b)
                length = 2 ** int(np.ceil(np.log2(longest)))
                for q in a + b:
                    while len(q) < length:
                        q.append(1)
                yield np.array(a), np.array(b)
                rows = []
