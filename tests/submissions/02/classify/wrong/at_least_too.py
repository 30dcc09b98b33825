# expects: At your threshold
# counts a similarity equal to the threshold as a duplicate (>= instead of >), so the chosen threshold is one candidate too high
def pair_similarities(embed, left, right, batch_size):
    results = []
    for start in range(0, len(left), batch_size):
        ids1, ids2 = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        results.append(np.sum(np.asarray(embed(ids1)) * np.asarray(embed(ids2)), axis=1))
    return np.concatenate(results)


def evaluate(validation, test):
    def accuracy(pairs, threshold):
        similarities, same = pairs
        return np.mean((similarities >= threshold) == (same == 1))

    candidates = np.unique(validation[0])
    threshold = max(candidates, key=lambda candidate: accuracy(validation, candidate))
    return threshold, accuracy(test, threshold)
