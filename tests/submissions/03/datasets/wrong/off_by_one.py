# expects: A pass has one batch too few: of
# range(0, n - batch_size, batch_size) stops one start too early, so a pass lacks its last full batch if n is a multiple of batch_size; 6 rows with batch_size 3 give one batch per order instead of two (and n == batch_size never yields).
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    targets = np.asarray(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size, batch_size):
            rows = order[start : start + batch_size]
            arrays = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {
                name: array.reshape(batch_size, len(sides), -1) for name, array in arrays.items()
            }
            yield inputs, targets[rows]
