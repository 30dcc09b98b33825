# expects: Pad to what *this batch* needs, the next multiple of 8: 16
LENGTH = 128


def pad_rows(rows, pad_id):
    ids = np.full((len(rows), LENGTH), pad_id, dtype="int32")
    mask = np.zeros_like(ids)
    for line, real, row in zip(ids, mask, rows):
        line[: len(row)] = row[:LENGTH]
        real[: len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {key: flat[key].reshape(batch_size, len(sides), -1) for key in flat}
            yield inputs, targets[rows]
