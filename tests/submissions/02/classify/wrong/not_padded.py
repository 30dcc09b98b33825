# expects: The rows of a batch have different lengths: pad them all to the same length.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a = np.array(left[start : start + batch_size])
        b = np.array(right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(
        np.unique(similarities), key=lambda t: np.mean((similarities > t) == (same == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
