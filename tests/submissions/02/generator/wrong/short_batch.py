# expects: The batch at the end of the data is short.
import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        order = rng.permutation(len(left)) if shuffle else range(len(left))
        for start in range(0, len(left), batch_size):
            rows = order[start : start + batch_size]
            longest = max(max(len(left[i]), len(right[i])) for i in rows)
            length = 2 ** math.ceil(math.log2(longest))
            pad = lambda q: q + [1] * (length - len(q))
            yield np.array([pad(left[i]) for i in rows]), np.array([pad(right[i]) for i in rows])
