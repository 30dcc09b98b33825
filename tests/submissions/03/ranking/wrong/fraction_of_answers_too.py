# expects: This averages the fraction of answers found. Here a query counts fully as soon as one answ
# recall is the fraction of the answers that were found, not of the queries with at least one; it shows for a query with two answers of which only one is among the first k
def recall_at(found, answers, k):
    parts = [len(set(row[:k]) & set(wanted)) / max(1, len(wanted)) for row, wanted in zip(found, answers)]
    return float(np.mean(parts))


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, wanted in zip(found, answers):
        for rank, hit in enumerate(row, 1):
            if hit in wanted:
                total += 1 / rank
                break
    return total / len(answers)
