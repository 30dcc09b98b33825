# expects: Every batch is the same: the index does not advance.
import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    index = 0
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        rows = order[index : index + batch_size]
        a, b = [left[i] for i in rows], [right[i] for i in rows]
        length = 2 ** math.ceil(math.log2(max(map(len, a + b))))
        yield (
            np.array([q + [1] * (length - len(q)) for q in a]),
            np.array([q + [1] * (length - len(q)) for q in b]),
        )
