def batches(sides, targets, batch_size, rng, pad_id):
    targets = np.asarray(targets)
    whole = len(targets) // batch_size
    while True:
        keys = rng.random(len(targets))
        table = np.argsort(keys)[: whole * batch_size].reshape(whole, batch_size)
        for line in table:
            padded = pad_rows([side[row] for row in line for side in sides], pad_id)
            shape = (batch_size, len(sides), padded["token_ids"].shape[1])
            yield {name: array.reshape(shape) for name, array in padded.items()}, targets[line]
