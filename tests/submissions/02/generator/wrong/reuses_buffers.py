# expects: A later batch changes an earlier one: the same array or list is filled again and again. Ma
# batches of the same length are written into the same two arrays, so a later batch overwrites an earlier one; shown by keeping two batches and comparing them.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    buffers = {}  # no allocation in each step
    queue = []
    while True:
        while len(queue) < batch_size:
            queue.extend(rng.permutation(len(left)) if shuffle else range(len(left)))
        rows, queue = queue[:batch_size], queue[batch_size:]
        longest = max(max(len(left[row]), len(right[row])) for row in rows)
        length = 1
        while length < longest:
            length *= 2
        if length not in buffers:
            buffers[length] = np.empty((2, batch_size, length), dtype=np.int64)
        block = buffers[length]
        block[:] = pad
        for place, row in enumerate(rows):
            block[0, place, : len(left[row])] = left[row]
            block[1, place, : len(right[row])] = right[row]
        yield block[0], block[1]
