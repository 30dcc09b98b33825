# expects: Every batch is the same: move on to the next rows
def batches(sides, targets, batch_size, rng, pad_id):
    rows = np.arange(batch_size)
    flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
    inputs = {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}
    while True:
        yield inputs, targets[rows]
