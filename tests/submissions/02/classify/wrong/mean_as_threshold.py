# expects: This is the mean or median similarity.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    threshold = np.mean(validation[0])
    similarities, same = test
    return threshold, np.mean((similarities > threshold) == (same == 1))
