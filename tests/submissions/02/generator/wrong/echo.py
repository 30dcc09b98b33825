# expects: The rows of a batch have different lengths: pad them.
def data_generator(left, right, batch_size, shuffle, rng):
    while True:
        yield left, right
