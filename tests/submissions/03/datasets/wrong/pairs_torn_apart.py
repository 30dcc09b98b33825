# expects: A pair is split up: its sides come from different rows
def batches(sides, targets, batch_size, rng, pad_id):
    n = len(targets)
    while True:
        orders = [rng.permutation(n) for _ in sides]
        for start in range(0, n - batch_size + 1, batch_size):
            places = range(start, start + batch_size)
            flat = pad_rows([side[o[i]] for i in places for side, o in zip(sides, orders)], pad_id)
            inputs = {k: v.reshape(batch_size, len(sides), -1) for k, v in flat.items()}
            yield inputs, targets[orders[0][start : start + batch_size]]
