from collections import defaultdict


def group_batches(groups, batch_size, rng):
    members = defaultdict(list)
    for row in rng.permutation(len(groups)).tolist():
        members[int(groups[row])].append(row)
    largest = max(map(len, members.values()), default=0)
    batches = [[] for _ in range(max(largest, -(-len(groups) // batch_size)))]
    for rows in members.values():
        emptiest = sorted(batches, key=len)[: len(rows)]
        for batch, row in zip(emptiest, rows):
            batch.append(row)
    return [np.array(batch) for batch in batches]
