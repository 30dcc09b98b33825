# expects: This maximizes balanced accuracy.
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation

    def balanced(t):
        found = np.mean(similarities[same == 1] > t)
        refused = np.mean(similarities[same == 0] <= t)
        return (found + refused) / 2

    threshold = max(np.unique(similarities), key=balanced)
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
