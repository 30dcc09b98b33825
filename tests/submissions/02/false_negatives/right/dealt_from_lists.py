def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    members = {}
    for row in rng.permutation(len(groups)).tolist():
        members.setdefault(int(groups[row]), []).append(row)
    largest = max((len(rows) for rows in members.values()), default=0)
    number = max(-(-len(groups) // batch_size), largest)
    batches = [[] for _ in range(number)]
    dealt = 0
    for rows in members.values():
        for row in rows:
            batches[dealt % number].append(row)
            dealt += 1
    return [rng.permutation(batch) for batch in batches]
