# expects: A row of the batch contains the same side twice. Before `reshape`, the sentences must be i
# lists all left sentences and then all right ones, so reshape puts sentences of different rows into one row; shown by any batch of two or more rows.
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = [side[row] for side in sides for row in rows]
            padded = pad_rows(sentences, pad_id)
            inputs = {
                name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()
            }
            yield inputs, targets[rows]
