# expects: There is one number per batch.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b)))
    return np.array(cosines)


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(
        np.unique(similarities), key=lambda t: np.mean((similarities > t) == (same == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
