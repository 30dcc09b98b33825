# expects: Your code changes `sides` or `targets` in place, as `rng.shuffle` does: the next training
# shuffles the caller's lists and targets in place (consistently, so the batches are right); it shows in the arguments after the first batch
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for side in sides:
            side[:] = [side[i] for i in order]
        targets[:] = targets[order]
        for start in range(0, n - batch_size + 1, batch_size):
            stop = start + batch_size
            sentences = [side[i] for i in range(start, stop) for side in sides]
            padded = pad_rows(sentences, pad_id)
            inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
            yield inputs, targets[start:stop].copy()
