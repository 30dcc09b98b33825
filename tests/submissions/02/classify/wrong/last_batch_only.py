# expects: Only one batch was returned.
def pair_similarities(embed, left, right, batch_size):
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines = np.sum(embed(a) * embed(b), axis=1)
    return cosines


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(
        np.unique(similarities), key=lambda t: np.mean((similarities > t) == (same == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
