from itertools import islice


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    def row_numbers():
        while True:
            yield from rng.permutation(len(left)) if shuffle else range(len(left))

    stream = row_numbers()
    while True:
        rows = list(islice(stream, batch_size))
        sides = [[side[row] for row in rows] for side in (left, right)]
        longest = max(1, *(len(question) for side in sides for question in side))
        length = 1 << (longest - 1).bit_length()
        yield tuple(
            np.array([[*question, *[pad] * (length - len(question))] for question in side], dtype=int)
            for side in sides
        )
