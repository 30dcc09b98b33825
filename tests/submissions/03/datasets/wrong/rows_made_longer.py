# expects: Your code pads the original rows in place
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            chosen = [side[row] for row in rows for side in sides]
            flat = pad_rows(chosen, pad_id)
            for sentence in chosen:
                sentence += [pad_id] * (flat["token_ids"].shape[1] - len(sentence))
            inputs = {key: flat[key].reshape(batch_size, len(sides), -1) for key in flat}
            yield inputs, targets[rows]
