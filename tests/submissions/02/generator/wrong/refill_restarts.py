# expects: With shuffle=False the rows of batch
# fills the last batch of an epoch with the first rows of the next one, but then starts that epoch at its first row again, so those rows come twice; shows when the rows are no multiple of the batch size
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    n = len(left)

    def new_order():
        return list(rng.permutation(n)) if shuffle else list(range(n))

    order = new_order()
    index = 0
    while True:
        rows = order[index : index + batch_size]
        index += batch_size
        if index >= n:
            order = new_order()
            index = 0
            while len(rows) < batch_size:
                rows = rows + order[: batch_size - len(rows)]
        longest = max(max(len(left[row]), len(right[row])) for row in rows)
        length = 1
        while length < longest:
            length *= 2
        batch = []
        for side in (left, right):
            batch.append(np.array([list(side[row]) + [pad] * (length - len(side[row])) for row in rows]))
        yield batch[0], batch[1]
