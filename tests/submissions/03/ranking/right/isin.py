def hits_of(found, answers):
    return np.array([np.isin(row, right) for row, right in zip(found, answers)])


def recall_at(found, answers, k):
    return hits_of(found, answers)[:, :k].any(axis=1).mean()


def mean_reciprocal_rank(found, answers):
    hits = hits_of(found, answers)
    ranks = 1 + hits.argmax(axis=1)
    return (hits.any(axis=1) / ranks).mean()
