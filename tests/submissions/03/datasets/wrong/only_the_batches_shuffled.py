# expects: only the order of the batches is new. Shuffle the rows
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    count = len(targets) // batch_size
    while True:
        for number in rng.permutation(count):
            rows = np.arange(number * batch_size, (number + 1) * batch_size)
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
