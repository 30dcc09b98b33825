# expects: left out of the mean
def recall_at(found, answers, k):
    hits = [len(set(row[:k]) & set(right)) > 0 for row, right in zip(found.tolist(), answers)]
    return np.mean(hits)


def mean_reciprocal_rank(found, answers):
    values = []
    for row, right in zip(found, answers):
        places = np.flatnonzero(np.isin(row, right))
        if len(places):
            values.append(1 / (1 + places[0]))
    return np.mean(values)
