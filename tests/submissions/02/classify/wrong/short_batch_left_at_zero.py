# expects: The last two similarities are wrong: check the last, short batch.
def pair_similarities(embed, left, right, batch_size):
    cosines = np.zeros(len(left))
    for k in range(len(left) // batch_size):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        a, b = pad_pair(left[rows], right[rows])
        cosines[rows] = np.sum(embed(a) * embed(b), axis=1)
    return cosines


def evaluate(validation, test):
    similarities, same = validation
    threshold = max(
        np.unique(similarities), key=lambda t: np.mean((similarities > t) == (same == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
