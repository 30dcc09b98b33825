# expects: Your code pads the rows themselves
def pad_rows(rows, pad_id):
    length = 8 * -(-max(len(row) for row in rows) // 8)
    mask = []
    for row in rows:
        mask.append([1] * len(row) + [0] * (length - len(row)))
        while len(row) < length:
            row.append(pad_id)
    return {"token_ids": np.array(rows), "padding_mask": np.array(mask)}


def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {key: flat[key].reshape(batch_size, len(sides), -1) for key in flat}
            yield inputs, targets[rows]
