# expects: is possible. Try every similarity as threshold
def pair_similarities(embed, left, right, batch_size):
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)


def evaluate(validation, test):
    similarities, same = validation
    grid = [-0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8]
    threshold = max(grid, key=lambda t: np.mean((similarities > t) == (same == 1)))
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
