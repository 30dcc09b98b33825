# expects: Only the first in a query's list of answers counts
# takes the rank of the first answer in the list instead of the answer that is ranked first; shown by answers [7, 3] with hits [3, 5, 7] (1/3 instead of 1).
def recall_at(found, answers, k):
    hits = [bool(set(list(row)[:k]) & set(own)) for row, own in zip(found, answers)]
    return float(np.mean(hits))


def mean_reciprocal_rank(found, answers):
    values = []
    for row, own in zip(found, answers):
        row, own = list(row), list(own)
        if own and own[0] in row:
            values.append(1 / (row.index(own[0]) + 1))
        else:
            values.append(0.0)
    return float(np.mean(values))
