# expects: Queries whose answers were not found are left out of the mean. They count, as
# MRR leaves queries without an answer among their hits out of the mean instead of counting them as 0; it shows when there is such a query beside others
def recall_at(found, answers, k):
    good = [any(hit in wanted for hit in row[:k]) for row, wanted in zip(found, answers)]
    return float(np.mean(good))


def mean_reciprocal_rank(found, answers):
    reciprocal = []
    for row, wanted in zip(found, answers):
        ranks = [rank for rank, hit in enumerate(row, 1) if hit in wanted]
        if ranks:
            reciprocal.append(1 / ranks[0])
    return float(np.mean(reciprocal)) if reciprocal else 0.0
