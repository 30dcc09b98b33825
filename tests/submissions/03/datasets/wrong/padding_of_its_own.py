# expects: The padding is 1; it must be `pad_id`, here 7
def pad_rows(rows, pad_id):
    longest = max(map(len, rows))
    length = (longest + 7) // 8 * 8
    ids = [row + [pad_id] * (length - len(row)) for row in rows]
    mask = [[1] * len(row) + [0] * (length - len(row)) for row in rows]
    return {"token_ids": np.array(ids), "padding_mask": np.array(mask)}


def batches(sides, targets, batch_size, rng, pad_id=1):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id=1)
            yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
