# expects: This is a percentage. Return the fraction, from 0 to 1.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(similarities, key=lambda t: np.sum((similarities > t) == (same == 1)))
    return threshold, 100 * np.mean((test[0] > threshold) == (test[1] == 1))
