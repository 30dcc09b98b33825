from itertools import islice


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    pairs = list(zip(left, right))

    def questions():
        while True:
            order = list(range(len(pairs)))
            if shuffle:
                rng.shuffle(order)
            for i in order:
                yield pairs[i]

    stream = questions()
    while True:
        batch = list(islice(stream, batch_size))
        longest = max(len(question) for pair in batch for question in pair)
        length = next(2**k for k in range(64) if 2**k >= longest)
        padded = [[q + [pad] * (length - len(q)) for q in pair] for pair in batch]
        both = jnp.array(padded)
        yield both[:, 0], both[:, 1]
