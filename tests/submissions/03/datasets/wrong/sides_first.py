# expects: The first two axes are swapped
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for side in sides for row in rows], pad_id)
            yield {k: v.reshape(len(sides), batch_size, -1) for k, v in flat.items()}, targets[rows]
