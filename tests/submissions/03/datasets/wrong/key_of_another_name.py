# expects: `padding_mask` is missing from the dictionary
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            inputs = {
                "token_ids": flat["token_ids"].reshape(shape),
                "mask": flat["padding_mask"].reshape(shape),
            }
            yield inputs, targets[rows]
