# expects: A similarity equal to the threshold counts as a duplicate.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    candidates = np.unique(validation[0])
    threshold = max(candidates, key=lambda t: np.mean((validation[0] > t) == (validation[1] == 1)))
    return threshold, np.mean((test[0] >= threshold) == (test[1] == 1))
