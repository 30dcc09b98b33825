# expects: The padding stands in front
def pad_rows(rows, pad_id):
    longest = max(map(len, rows))
    length = longest + -longest % 8
    ids = keras.utils.pad_sequences(rows, length, value=pad_id)
    mask = keras.utils.pad_sequences([[1] * len(row) for row in rows], length)
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
