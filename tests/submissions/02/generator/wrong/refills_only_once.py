# expects: With 3 rows and batch_size 8, a batch has 3 and 3 rows. Fill
# fills a batch from the next epoch at most once, so a batch is too small when the batch size is larger than the data; shown by 3 rows with batch_size 8.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    queue = []
    while True:
        if len(queue) < batch_size:
            order = np.arange(len(left))
            if shuffle:
                order = rng.permutation(order)
            queue = queue + order.tolist()
        rows = queue[:batch_size]
        queue = queue[batch_size:]
        longest = max(max(len(left[row]), len(right[row])) for row in rows)
        length = 1
        while length < longest:
            length *= 2
        a = [list(left[row]) + [pad] * (length - len(left[row])) for row in rows]
        b = [list(right[row]) + [pad] * (length - len(right[row])) for row in rows]
        yield np.array(a), np.array(b)
