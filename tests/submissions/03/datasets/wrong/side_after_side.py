# expects: A row of the batch holds the same side twice
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
            sentences = []
            for side in sides:
                sentences += [side[row] for row in rows]
            flat = pad_rows(sentences, pad_id)
            yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
