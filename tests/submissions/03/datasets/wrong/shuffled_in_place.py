# expects: Your code changes `sides` or `targets` in place
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        targets[:] = targets[order]
        for side in sides:
            side[:] = [side[row] for row in order]
        for start in range(0, n - batch_size + 1, batch_size):
            end = start + batch_size
            flat = pad_rows(
                [s for row in zip(*[side[start:end] for side in sides]) for s in row], pad_id
            )
            inputs = {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}
            yield inputs, targets[start:end].copy()
