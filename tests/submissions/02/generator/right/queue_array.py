def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    waiting = np.zeros(0, dtype=int)
    while True:
        while len(waiting) < batch_size:
            epoch = np.arange(len(left))
            if shuffle:
                epoch = rng.permutation(epoch)
            waiting = np.concatenate([waiting, epoch])
        rows, waiting = waiting[:batch_size], waiting[batch_size:]
        length = 1
        while any(len(side[row]) > length for side in (left, right) for row in rows):
            length = length + length
        both = np.full((2, batch_size, length), pad)
        for array, side in zip(both, (left, right)):
            for place, row in enumerate(rows):
                array[place, : len(side[row])] = side[row]
        yield both[0], both[1]
