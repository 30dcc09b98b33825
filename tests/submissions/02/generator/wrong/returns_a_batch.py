# expects: The function returns a `tuple`. Make it a generator
import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
    rows = order[:batch_size]
    a, b = [left[i] for i in rows], [right[i] for i in rows]
    length = 2 ** math.ceil(math.log2(max(map(len, a + b))))
    a = np.array([q + [1] * (length - len(q)) for q in a])
    b = np.array([q + [1] * (length - len(q)) for q in b])
    return a, b
