def batches(sides, targets, batch_size, rng, pad_id):
    while True:
        left = list(range(len(targets)))
        rng.shuffle(left)
        while len(left) >= batch_size:
            rows, left = left[:batch_size], left[batch_size:]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {}
            for name, lines in flat.items():
                inputs[name] = [lines[i : i + len(sides)] for i in range(0, len(lines), len(sides))]
            yield inputs, [targets[row] for row in rows]
