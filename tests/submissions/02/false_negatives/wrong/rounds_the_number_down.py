# expects: A batch has
# rounds the number of batches down, so some batches have more rows than batch_size; shown by 10 rows of different groups with batch_size 4 (two batches of 5).
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    largest = np.unique(groups, return_counts=True)[1].max()
    number = max(1, len(groups) // batch_size, int(largest))
    return [order[start::number] for start in range(number)]
