# expects: The result is a `tuple`; expected a dictionary
def pad_rows(rows, pad_id):
    longest = max(map(len, rows))
    length = (longest + 7) // 8 * 8
    ids = np.array([row + [pad_id] * (length - len(row)) for row in rows])
    mask = np.array([[1] * len(row) + [0] * (length - len(row)) for row in rows])
    return ids, mask


def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(targets) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            ids, mask = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            inputs = {"token_ids": ids.reshape(shape), "padding_mask": mask.reshape(shape)}
            yield inputs, targets[rows]
