# expects: The left side alone decides the length
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    waiting = []
    while True:
        while len(waiting) < batch_size:
            waiting.extend(rng.permutation(len(left)) if shuffle else range(len(left)))
        rows, waiting = waiting[:batch_size], waiting[batch_size:]
        one, two = [left[i] for i in rows], [right[i] for i in rows]
        length = 2 ** int(np.ceil(np.log2(max(map(len, one)))))
        yield tuple(
            np.array([(list(row) + [pad] * length)[:length] for row in side]) for side in (one, two)
        )
