# expects: The mask is 0 where the id is 0; but 0 is <s>, a real token
# the mask is taken where the zeros still stand, and <s> is a zero, too
def pad_rows(rows, pad_id):
    longest = max(map(len, rows))
    length = (longest + 7) // 8 * 8
    ids = np.zeros((len(rows), length), int)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    mask = (ids != 0).astype(int)
    for i, row in enumerate(rows):
        ids[i, len(row) :] = pad_id
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
