# expects: There are 2 sides in a row; expected 3
def batches(sides, targets, batch_size, rng, pad_id):
    left, right = sides[0], sides[1]
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            sentences = []
            for row in rows:
                sentences.append(left[row])
                sentences.append(right[row])
            flat = pad_rows(sentences, pad_id)
            yield {k: v.reshape(batch_size, 2, -1) for k, v in flat.items()}, targets[rows]
