# expects: The rows of a batch have different lengths
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            padded = [pad_rows([side[row] for row in rows], pad_id) for side in sides]
            names = "token_ids", "padding_mask"
            yield (
                {name: np.stack([p[name] for p in padded], axis=1) for name in names},
                targets[rows],
            )
