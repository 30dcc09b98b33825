# expects: Pad only as much as *this batch* needs
# pads all sentences to the longest there is, not batch by batch
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    flat = pad_rows([side[row] for row in range(n) for side in sides], pad_id)
    everything = {k: v.reshape(n, len(sides), -1) for k, v in flat.items()}
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            yield {name: array[rows] for name, array in everything.items()}, targets[rows]
