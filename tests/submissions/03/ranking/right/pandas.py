def ranks_of(found, answers):
    rows = []
    for row, right in zip(found, answers):
        places = np.flatnonzero(np.isin(row, list(right)))
        rows.append(places.min() + 1 if len(places) else np.inf)
    return pd.Series(rows)


def recall_at(found, answers, k):
    return float((ranks_of(found, answers) <= k).mean())


def mean_reciprocal_rank(found, answers):
    return float((1 / ranks_of(found, answers)).mean())
