# expects: Queries whose answers were not found are left out of the mean. They count, as
# the MRR leaves out queries without an answer among their hits instead of counting them as 0; shown by one such query.
def recall_at(found, answers, k):
    hits = [any(index in own for index in list(row)[:k]) for row, own in zip(found, answers)]
    return float(np.mean(hits))


def mean_reciprocal_rank(found, answers):
    values = []
    for row, own in zip(found, answers):
        for rank, index in enumerate(row, 1):
            if index in own:
                values.append(1 / rank)
                break
    return float(np.mean(values)) if values else 0.0
