def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    batch = []
    while True:
        rows = list(range(len(left)))
        if shuffle:
            rows = rng.permutation(rows).tolist()
        while rows:
            batch.append(rows.pop(0))
            if len(batch) < batch_size:
                continue
            length = 1
            while any(len(left[i]) > length or len(right[i]) > length for i in batch):
                length = 2 * length
            yield (
                [left[i] + [pad] * (length - len(left[i])) for i in batch],
                [right[i] + [pad] * (length - len(right[i])) for i in batch],
            )
            batch = []
