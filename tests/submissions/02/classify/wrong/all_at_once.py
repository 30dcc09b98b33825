# expects: More than batch_size pairs were embedded at once.
def pair_similarities(embed, left, right, batch_size):
    a, b = pad_pair(left, right)
    return np.sum(embed(a) * embed(b), axis=1)


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(
        np.unique(similarities), key=lambda t: np.mean((similarities > t) == (same == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
