# expects: This threshold is the best one for the *test* pairs.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = test
    accuracies = {t: np.mean((similarities > t) == (same == 1)) for t in similarities}
    threshold = max(accuracies, key=accuracies.get)
    return threshold, accuracies[threshold]
