# expects: In 13 cases, two rows of the same group are in one batch. Fo
# makes only as many batches as the batch size needs, so a group with more rows than that has two rows in one batch
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = int(np.ceil(len(groups) / batch_size))
    batches = [[] for _ in range(count)]
    for position, row in enumerate(order):
        batches[position % count].append(row)
    return [np.array(batch) for batch in batches]
