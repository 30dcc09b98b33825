# expects: The rows have different lengths: pad all rows of a batch to one
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            padded = [pad_rows([side[row] for row in rows], pad_id) for side in sides]
            names = "token_ids", "padding_mask"
            yield (
                {name: np.stack([p[name] for p in padded], axis=1) for name in names},
                targets[rows],
            )
