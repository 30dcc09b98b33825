# expects: The length is the power of two *below* that of the longest question
import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for i in order:
            rows.append(i)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                length = 2 ** math.floor(math.log2(max(map(len, a + b))))
                a = np.array([(q + [1] * length)[:length] for q in a])
                b = np.array([(q + [1] * length)[:length] for q in b])
                yield a, b
                rows = []
