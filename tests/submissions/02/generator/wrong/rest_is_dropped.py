# expects: The last rows of an epoch are dropped.
import math


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    batches = len(left) // batch_size
    while True:
        order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
        for rows in order[: batches * batch_size].reshape(batches, batch_size):
            longest = max(max(len(left[i]), len(right[i])) for i in rows)
            length = 2 ** math.ceil(math.log2(longest))
            yield tuple(
                np.array([side[i] + [1] * (length - len(side[i])) for i in rows])
                for side in (left, right)
            )
