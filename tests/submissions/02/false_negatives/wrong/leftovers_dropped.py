# expects: 18 of 145 rows are missing. Each must appear once in an epoc
# a row whose group is already in the current batch is skipped for good, so rows are lost as soon as two rows of one group meet
def group_batches(groups, batch_size, rng):
    batches, batch, seen = [], [], set()
    for row in rng.permutation(len(groups)):
        if groups[row] in seen:
            continue
        batch.append(row)
        seen.add(groups[row])
        if len(batch) == batch_size:
            batches.append(np.array(batch))
            batch, seen = [], set()
    if batch:
        batches.append(np.array(batch))
    return batches
