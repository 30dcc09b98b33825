# expects: Every batch is padded to
# the length is the power of two at or above the longest question of the whole data, not of the batch; a batch of short questions is too long if another row has a long one.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    longest = max(len(question) for question in [*left, *right])
    length = 2 ** int(np.ceil(np.log2(longest)))

    def padded(question):
        return list(question) + [pad] * (length - len(question))

    waiting = []
    while True:
        while len(waiting) < batch_size:
            order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
            waiting.extend(order.tolist())
        rows, waiting = waiting[:batch_size], waiting[batch_size:]
        yield (
            np.array([padded(left[row]) for row in rows]),
            np.array([padded(right[row]) for row in rows]),
        )
