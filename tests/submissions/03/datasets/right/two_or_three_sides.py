def batches(sides, targets, batch_size, rng, pad_id):
    if len(sides) == 2:
        left, right = sides
        rows = list(zip(left, right))
    else:
        anchor, positive, negative = sides
        rows = list(zip(anchor, positive, negative))
    n = len(targets)
    while True:
        order = rng.permutation(n)
        for start in range(0, n - batch_size + 1, batch_size):
            places = order[start : start + batch_size]
            padded = pad_rows([sentence for place in places for sentence in rows[place]], pad_id)
            inputs = {name: array.reshape(batch_size, len(sides), -1) for name, array in padded.items()}
            yield inputs, targets[places]
