# expects: The rows of a batch have different lengths: pad them all to the same length.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        yield left, right
