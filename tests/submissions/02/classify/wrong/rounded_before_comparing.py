# expects: the accuracy on the test pairs is
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    def accuracy(threshold, similarities, same):
        return np.mean((similarities > threshold) == (same == 1))

    threshold = max(np.unique(validation[0]), key=lambda t: accuracy(t, *validation))
    return threshold, accuracy(threshold, np.round(test[0], 2), test[1])
