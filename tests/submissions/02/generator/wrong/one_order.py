# expects: Every epoch has the same order. Shuffle again at the beginning of each.
# draws the order once, before the loop, and repeats it in every epoch; shows with shuffle=True from the second epoch on
from itertools import cycle, islice


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
    endless = cycle(order)
    while True:
        rows = list(islice(endless, batch_size))
        longest = max(len(side[row]) for side in (left, right) for row in rows)
        length = 1
        while length < longest:
            length *= 2
        arrays = []
        for side in (left, right):
            array = np.full((batch_size, length), pad)
            for i, row in enumerate(rows):
                array[i, : len(side[row])] = side[row]
            arrays.append(array)
        yield tuple(arrays)
