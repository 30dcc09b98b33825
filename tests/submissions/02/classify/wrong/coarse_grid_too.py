# expects: At your threshold
# tries a fixed grid from 0 to 1 instead of the validation similarities, so it misses the best threshold if that is negative or between two grid points
def pair_similarities(embed, left, right, batch_size):
    results = []
    for start in range(0, len(left), batch_size):
        ids1, ids2 = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        results.append(np.sum(np.asarray(embed(ids1)) * np.asarray(embed(ids2)), axis=1))
    return np.concatenate(results)


def evaluate(validation, test):
    grid = np.linspace(0, 1, 21)
    accuracies = [np.mean((validation[0] > threshold) == (validation[1] == 1)) for threshold in grid]
    threshold = grid[int(np.argmax(accuracies))]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
