def recall_at(found, answers, k):
    found = np.asarray(found)
    right = [np.isin(row[:k], list(own)).any() for row, own in zip(found, answers)]
    return float(np.mean(right))


def mean_reciprocal_rank(found, answers):
    found = np.asarray(found)
    right = np.array([np.isin(row, list(own)) for row, own in zip(found, answers)], dtype=float)
    reciprocal = 1 / np.arange(1, found.shape[1] + 1)
    return float(np.mean(np.max(right * reciprocal, axis=1, initial=0.0)))
