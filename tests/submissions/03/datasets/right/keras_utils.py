def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.choice(n, n, replace=False)
        for start in range(0, n, batch_size):
            rows = order[start : start + batch_size]
            if len(rows) < batch_size:
                break
            flat = pad_rows([side[row] for side in sides for row in rows], pad_id)
            # side after side first, then the two axes are exchanged
            inputs = {
                name: array.reshape(len(sides), batch_size, -1).transpose(1, 0, 2)
                for name, array in flat.items()
            }
            yield inputs, targets[rows].reshape(-1, 1)
