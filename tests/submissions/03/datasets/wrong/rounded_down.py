# expects: and round *up* to a multiple of 8
def pad_rows(rows, pad_id):
    length = max(len(row) for row in rows) // 8 * 8
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
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
