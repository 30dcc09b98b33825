def group_batches(groups, batch_size, rng):
    batches = []
    for row in rng.permutation(len(groups)):
        for batch in batches:
            if len(batch) < batch_size and groups[row] not in groups[batch]:
                batch.append(row)
                break
        else:
            batches.append([row])
    return batches
