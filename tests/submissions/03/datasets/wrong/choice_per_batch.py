# expects: Some rows appear twice in a pass and others not at all. Draw a permutation, `rng.permutati
# draws every batch anew from all rows, so a row can occur twice in one pass over the data while others are missing; 4 rows with batch_size 2 show it within a few passes.
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    targets = np.asarray(targets)
    while True:
        for _ in range(n // batch_size):
            rows = rng.choice(n, batch_size, replace=False)
            arrays = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {
                name: array.reshape(batch_size, len(sides), -1) for name, array in arrays.items()
            }
            yield inputs, targets[rows]
