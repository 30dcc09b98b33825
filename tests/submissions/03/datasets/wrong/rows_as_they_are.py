# expects: The result is a `list`; expected a dictionary
def pad_rows(rows, pad_id):
    return rows


def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        yield sides, targets
