import keras


def endless_rows(n, shuffle, rng):
    while True:
        yield from rng.choice(n, size=n, replace=False) if shuffle else range(n)


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    rows = endless_rows(len(left), shuffle, rng)
    while True:
        batch = [next(rows) for _ in range(batch_size)]
        a, b = [left[i] for i in batch], [right[i] for i in batch]
        length = 1 << (max(map(len, a + b)) - 1).bit_length()
        yield tuple(
            keras.utils.pad_sequences(side, maxlen=length, padding="post", value=pad)
            for side in (a, b)
        )
