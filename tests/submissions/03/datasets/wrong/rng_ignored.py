# expects: Two runs with the same seed differ. Draw every random number from `rng`.
# the order comes from NumPy's global generator instead of rng; two generators with the same seed give different batches
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = np.random.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = [side[i] for i in rows for side in sides]
            padded = pad_rows(sentences, pad_id)
            inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
            yield inputs, targets[rows]
