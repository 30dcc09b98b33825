# expects: only the order of the batches is new. Shuffle the rows
def batches(sides, targets, batch_size, rng, pad_id):
    count = len(targets) // batch_size
    while True:
        for number in rng.permutation(count):
            rows = np.arange(number * batch_size, (number + 1) * batch_size)
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
