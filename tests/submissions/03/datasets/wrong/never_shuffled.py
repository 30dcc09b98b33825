# expects: The rows come in their original order
def batches(sides, targets, batch_size, rng, pad_id):
    start = 0
    while True:
        if start + batch_size > len(targets):
            start = 0
        rows = range(start, start + batch_size)
        flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
        inputs = {name: ids.reshape(batch_size, len(sides), -1) for name, ids in flat.items()}
        yield inputs, targets[start : start + batch_size]
        start += batch_size
