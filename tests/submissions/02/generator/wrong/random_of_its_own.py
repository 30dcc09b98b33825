# expects: The same seed gives a different order: draw every random number from `rng`.
import random


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    order = list(range(len(left)))
    rows = []
    while True:
        if shuffle:
            random.shuffle(order)
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                length = 2 ** int(np.ceil(np.log2(max(map(len, a + b)))))
                a = np.array([q + [pad] * (length - len(q)) for q in a])
                b = np.array([q + [pad] * (length - len(q)) for q in b])
                yield a, b
                rows = []
