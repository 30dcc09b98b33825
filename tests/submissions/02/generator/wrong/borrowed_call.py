# expects: course's own
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    yield from batching.classic_batches(left, right, batch_size, shuffle=shuffle, rng=rng)
