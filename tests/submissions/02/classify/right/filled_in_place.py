def pair_similarities(embed, left, right, batch_size):
    cosines = np.empty(len(left))
    for start in range(0, len(left), batch_size):
        part = slice(start, start + batch_size)
        a, b = (np.asarray(embed(side)) for side in pad_pair(left[part], right[part]))
        cosines[part] = np.einsum("nd,nd->n", a, b)
    return cosines


def evaluate(validation, test):
    similarities, same = validation
    candidates = np.unique(similarities)
    right = (similarities[:, None] > candidates) == (same[:, None] == 1)
    threshold = candidates[right.mean(axis=0).argmax()]
    return float(threshold), 1 - np.abs((test[0] > threshold) - test[1]).mean()
