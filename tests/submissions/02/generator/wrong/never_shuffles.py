# expects: With shuffle=True, the rows come in their original order.
from itertools import cycle, islice


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    pairs = cycle(list(zip(left, right)))
    while True:
        batch = list(islice(pairs, batch_size))
        longest = max(max(len(a), len(b)) for a, b in batch)
        length = 2 ** int(np.ceil(np.log2(longest)))
        a = np.array([a + [pad] * (length - len(a)) for a, _ in batch])
        b = np.array([b + [pad] * (length - len(b)) for _, b in batch])
        yield a, b
