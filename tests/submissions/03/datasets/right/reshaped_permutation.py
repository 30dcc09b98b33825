def batches(sides, targets, batch_size, rng, pad_id):
    together = list(zip(*sides))
    goals = np.asarray(targets)
    full = len(together) // batch_size
    if full == 0:
        raise ValueError("fewer rows than one batch")
    while True:
        for rows in rng.permutation(len(together))[: full * batch_size].reshape(full, batch_size):
            flat = []
            for row in rows:
                flat.extend(together[row])
            arrays = pad_rows(flat, pad_id)
            shape = (batch_size, len(sides), arrays["token_ids"].shape[1])
            yield {name: array.reshape(shape) for name, array in arrays.items()}, goals[rows]
