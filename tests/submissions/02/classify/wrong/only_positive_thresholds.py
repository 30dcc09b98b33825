# expects: reshold
def pair_similarities(embed, left, right, batch_size):
    found = []
    for start in range(0, len(left), batch_size):
        one, two = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        found.append(np.sum(np.asarray(embed(one)) * np.asarray(embed(two)), axis=1))
    return np.concatenate(found)


def evaluate(validation, test):
    similarities, same = validation
    grid = np.linspace(0, 1, 10_001)
    accuracies = [np.mean((similarities > tau) == (same == 1)) for tau in grid]
    threshold = grid[np.argmax(accuracies)]
    return float(threshold), float(np.mean((test[0] > threshold) == (test[1] == 1)))
