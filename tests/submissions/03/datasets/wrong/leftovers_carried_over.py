# expects: The rows that don't fill a batch go into the next pass, where they may appear twice. Drop
# leftover rows go into the first batch of the next pass instead of being left out; it shows after the first pass when n is not a multiple of batch_size
def batches(sides, targets, batch_size, rng, pad_id):
    waiting = []
    while True:
        waiting.extend(rng.permutation(len(targets)))
        while len(waiting) >= batch_size:
            rows, waiting = waiting[:batch_size], waiting[batch_size:]
            sentences = [side[i] for i in rows for side in sides]
            padded = pad_rows(sentences, pad_id)
            inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
            yield inputs, targets[rows]
