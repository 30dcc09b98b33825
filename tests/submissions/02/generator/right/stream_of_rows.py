def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    def endless_rows():
        while True:
            yield from (rng.permutation(len(left)) if shuffle else range(len(left)))

    rows = endless_rows()
    while True:
        drawn = [next(rows) for _ in range(batch_size)]
        sides = [[side[row] for row in drawn] for side in (left, right)]
        longest = max(len(ids) for side in sides for ids in side)
        length = 1 << max(longest - 1, 0).bit_length()
        first, second = (
            np.array([list(ids) + [pad] * (length - len(ids)) for ids in side], dtype=np.int64)
            for side in sides
        )
        yield first, second
