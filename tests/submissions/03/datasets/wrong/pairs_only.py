# expects: There are 2 sides in a row; expected 3
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    left, right = sides[0], sides[1]
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = []
            for row in rows:
                sentences.append(left[row])
                sentences.append(right[row])
            flat = pad_rows(sentences, pad_id)
            yield {k: v.reshape(batch_size, 2, -1) for k, v in flat.items()}, targets[rows]
