# expects: A row of the batch contains the same side twice
def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = []
            for side in sides:
                sentences += [side[row] for row in rows]
            flat = pad_rows(sentences, pad_id)
            yield {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}, targets[rows]
