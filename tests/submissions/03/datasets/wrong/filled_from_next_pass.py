# expects: The rows that don't fill a batch
def batches(sides, targets, batch_size, rng, pad_id):
    waiting = []
    while True:
        waiting.extend(rng.permutation(len(targets)))
        while len(waiting) >= batch_size:
            rows, waiting = waiting[:batch_size], waiting[batch_size:]
            flat = [side[row] for row in rows for side in sides]
            padded = pad_rows(flat, pad_id)
            shape = (len(rows), len(sides), -1)
            yield (
                {name: array.reshape(shape) for name, array in padded.items()},
                np.asarray(targets)[rows],
            )
