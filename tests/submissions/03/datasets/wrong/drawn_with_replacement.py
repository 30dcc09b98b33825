# expects: Some rows appear twice in a pass and others not at all
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        rows = rng.integers(0, len(targets), batch_size)
        flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
        yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
