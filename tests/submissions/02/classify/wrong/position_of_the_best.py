# expects: This is an accuracy or a position, not a threshold.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    candidates = np.unique(similarities)
    accuracies = [np.mean((similarities > t) == (same == 1)) for t in candidates]
    threshold = np.argmax(accuracies)
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
