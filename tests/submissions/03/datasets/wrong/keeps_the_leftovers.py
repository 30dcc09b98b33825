# expects: The rows that don't fill a batch go into the next pass, where they may appear twice. Drop
# leftover rows go into the first batch of the next pass instead of being left out; shown by a number of rows that isn't a multiple of batch_size, e.g. 5 rows in batches of 2 (the third batch mixes two passes).
def batches(sides, targets, batch_size, rng, pad_id):
    queue = []
    while True:
        while len(queue) < batch_size:
            queue.extend(rng.permutation(len(targets)).tolist())
        rows, queue = queue[:batch_size], queue[batch_size:]
        sentences = [side[row] for row in rows for side in sides]
        padded = pad_rows(sentences, pad_id)
        inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
        yield inputs, targets[rows]
