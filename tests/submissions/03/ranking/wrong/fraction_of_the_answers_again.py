# expects: This averages the fraction of answers found. Here a query counts fully as soon as one answ
# averages the fraction of each query's answers that are found (the usual recall in information retrieval) instead of the fraction of queries with an answer; shown by a query with two answers, one of them among the first k.
def recall_at(found, answers, k):
    fractions = []
    for row, own in zip(found, answers):
        own = set(own)
        fractions.append(len(own & set(list(row)[:k])) / max(len(own), 1))
    return float(np.mean(fractions))


def mean_reciprocal_rank(found, answers):
    values = []
    for row, own in zip(found, answers):
        ranks = [rank for rank, index in enumerate(row, 1) if index in own]
        values.append(1 / ranks[0] if ranks else 0.0)
    return float(np.mean(values))
