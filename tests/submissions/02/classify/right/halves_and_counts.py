def pair_similarities(embed, left, right, batch_size):
    n = len(left)
    if n == 0:
        return np.zeros(0)
    if n > batch_size:
        middle = n // 2
        first = pair_similarities(embed, left[:middle], right[:middle], batch_size)
        second = pair_similarities(embed, left[middle:], right[middle:], batch_size)
        return np.concatenate([first, second])
    u, v = (np.asarray(embed(ids)) for ids in pad_pair(left, right))
    return (u * v).sum(axis=1)


def evaluate(validation, test):
    values, same = np.asarray(validation[0]), np.asarray(validation[1]) == 1
    order = np.argsort(values)
    values, same = values[order], same[order]
    not_above = np.searchsorted(values, values, side="right")
    positives = np.concatenate([[0], np.cumsum(same)])
    negatives = np.concatenate([[0], np.cumsum(~same)])
    correct = negatives[not_above] + positives[-1] - positives[not_above]
    threshold = values[np.argmax(correct)]
    return threshold, np.mean((np.asarray(test[0]) > threshold) == (np.asarray(test[1]) == 1))
