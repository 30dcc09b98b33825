# expects: The rows of a batch have different lengths
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            ids = [[side[row] for side in sides] for row in rows]
            mask = [[[1] * len(each) for each in line] for line in ids]
            yield {"token_ids": ids, "padding_mask": mask}, targets[rows]
