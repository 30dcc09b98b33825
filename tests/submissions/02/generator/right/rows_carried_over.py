import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    n = len(left)
    waiting = []
    while True:
        while len(waiting) < batch_size:
            waiting.extend(rng.permutation(n) if shuffle else range(n))
        rows, waiting = waiting[:batch_size], waiting[batch_size:]
        longest = max(max(len(left[i]), len(right[i])) for i in rows)
        length = 2 ** math.ceil(math.log2(longest))
        a = np.full((batch_size, length), pad, dtype=np.int32)
        b = a.copy()
        for k, i in enumerate(rows):
            a[k, : len(left[i])] = left[i]
            b[k, : len(right[i])] = right[i]
        yield a, b
