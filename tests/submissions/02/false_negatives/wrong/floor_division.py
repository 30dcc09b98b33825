# expects: A batch has
# rounds the number of batches down instead of up, so batches get larger than batch_size; 10 rows of 10 groups with batch_size 4 give two batches of 5.
def group_batches(groups, batch_size, rng):
    groups = np.asarray(groups)
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    largest = np.unique(groups, return_counts=True)[1].max()
    count = max(largest, len(groups) // batch_size)
    return [order[number::count] for number in range(count)]
