# expects: A value is off
# MRR@10, as benchmarks report it: answers beyond the tenth hit do not count
def recall_at(found, answers, k):
    return np.mean([any(index in right for index in row[:k]) for row, right in zip(found, answers)])


def mean_reciprocal_rank(found, answers):
    ranks = (
        next((1 / rank for rank, index in enumerate(row[:10], 1) if index in right), 0.0)
        for row, right in zip(found, answers)
    )
    return np.mean(list(ranks))
