# expects: A row of the batch contains the same side twice. Before `reshape`, the sentences must be i
# lists all left sentences and then all right ones before the reshape, so the sides of a row are mixed up; it shows for every batch larger than one
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = [side[i] for side in sides for i in rows]
            padded = pad_rows(sentences, pad_id)
            inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
            yield inputs, targets[rows]
