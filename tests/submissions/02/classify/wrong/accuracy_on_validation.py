# expects: This is the accuracy on the *validation* pairs.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    best, threshold = 0.0, 0.0
    for t in np.unique(similarities):
        accuracy = np.mean((similarities > t) == (same == 1))
        if accuracy > best:
            best, threshold = accuracy, t
    return threshold, best
