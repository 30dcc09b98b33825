# expects: Some rows appear twice in a pass and others not at all. Draw a permutation, `rng.permutati
# draws each batch from all rows, so a pass over the data repeats some rows and misses others; shown by the rows of one epoch.
def batches(sides, targets, batch_size, rng, pad_id):
    # No epochs and no leftovers to think of
    while True:
        rows = rng.choice(len(targets), batch_size, replace=False)
        sentences = [side[row] for row in rows for side in sides]
        padded = pad_rows(sentences, pad_id)
        inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
        yield inputs, targets[rows]
