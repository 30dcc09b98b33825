# expects: The rows come in their order
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


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
