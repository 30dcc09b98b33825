def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = []
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            rows.append(i)
            if len(rows) == batch_size:
                longest = max(len(side[r]) for r in rows for side in (left, right))
                length = 2 ** int(np.ceil(np.log2(longest)))
                sides = np.full((2, batch_size, length), pad, dtype=np.int32)
                for filled, side in zip(sides, (left, right)):
                    for row, r in zip(filled, rows):
                        row[: len(side[r])] = side[r]
                yield sides
                rows = []
