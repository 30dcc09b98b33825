# expects: Most rows are followed by the next row of the data
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = np.roll(np.arange(n), rng.integers(1, n))
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            yield {name: ids.reshape(shape) for name, ids in flat.items()}, targets[rows]
