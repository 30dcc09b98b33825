# expects: matrices where a batch should give one number for each pair
def pair_similarities(embed, left, right, batch_size):
    parts = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        parts.append(embed(a) @ embed(b).T)
    return np.concatenate(parts)


def evaluate(validation, test):
    threshold = max(
        validation[0], key=lambda t: np.mean((validation[0] > t) == (validation[1] == 1))
    )
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
