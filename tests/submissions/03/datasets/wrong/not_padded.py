# expects: The rows have different lengths: pad all rows of a batch to one
def pad_rows(rows, pad_id):
    mask = [[1] * len(row) for row in rows]
    return {"token_ids": rows, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {key: flat[key].reshape(batch_size, len(sides), -1) for key in flat}
            yield inputs, targets[rows]
