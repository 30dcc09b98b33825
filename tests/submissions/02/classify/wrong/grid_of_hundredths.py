# expects: is possible. Try every similarity as threshold
# fine enough for spread cosines, and not for those of a nearly collapsed encoder
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    grid = np.arange(-100, 101) / 100
    threshold = max(grid, key=lambda t: np.mean((similarities > t) == (same == 1)))
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
