# expects: In 7 cases, two rows of the same group are in one batch. For example, batch
def group_batches(groups, batch_size, rng):
    result, batch = [], []
    for row in rng.permutation(len(groups)):
        if batch and (len(batch) == batch_size or groups[row] == groups[batch[-1]]):
            result.append(np.array(batch))
            batch = []
        batch.append(row)
    result.append(np.array(batch))
    return result
