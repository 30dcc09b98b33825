# expects: The rows of left and right don't match
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        yield np.ones((batch_size, 8), dtype=int), np.ones((batch_size, 8), dtype=int)
