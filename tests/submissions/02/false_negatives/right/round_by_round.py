def group_batches(groups, batch_size, rng):
    waiting, batches = rng.permutation(len(groups)).tolist(), []
    while waiting:
        seen, batch, rest = set(), [], []
        for row in waiting:
            if groups[row] in seen or len(batch) == batch_size:
                rest.append(row)
            else:
                seen.add(groups[row])
                batch.append(row)
        batches.append(batch)
        waiting = rest
    return batches
