# expects: With shuffle=False the rows of batch
# after filling the last batch from the next epoch, the index goes back to 0 instead of behind the rows already used; with 5 rows in order and batches of 2, the 4th batch is rows 0, 1 instead of 1, 2.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    def new_order():
        return list(rng.permutation(len(left))) if shuffle else list(range(len(left)))

    order, index = new_order(), 0
    while True:
        rows = order[index : index + batch_size]
        index += batch_size
        if index >= len(left):
            order, index = new_order(), 0
            while len(rows) < batch_size:
                rows = rows + order[: batch_size - len(rows)]
        longest = max(max(len(left[row]), len(right[row])) for row in rows)
        length = 1
        while length < longest:
            length *= 2
        a = np.array([list(left[row]) + [pad] * (length - len(left[row])) for row in rows])
        b = np.array([list(right[row]) + [pad] * (length - len(right[row])) for row in rows])
        yield a, b
