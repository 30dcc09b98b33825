# expects: The targets don't match the rows
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            end = start + batch_size
            flat = pad_rows([side[row] for row in order[start:end] for side in sides], pad_id)
            inputs = {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}
            yield inputs, targets[start:end]
