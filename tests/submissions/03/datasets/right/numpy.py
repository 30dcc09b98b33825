def batches(sides, targets, batch_size, rng, pad_id):
    full = len(targets) // batch_size * batch_size
    while True:
        for rows in rng.permutation(len(targets))[:full].reshape(-1, batch_size):
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = batch_size, len(sides), -1
            inputs = {name: np.reshape(array, shape) for name, array in flat.items()}
            yield inputs, np.take(targets, rows)
