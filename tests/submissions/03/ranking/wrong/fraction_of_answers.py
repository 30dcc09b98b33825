# expects: This averages the fraction of answers found. Here a query counts fully as soon as one answ
# recall_at averages the fraction of a query's answers that were found (the usual recall) instead of counting queries with at least one; a query with answers 1 and 2 whose first k hits contain only 1 counts 0.5 instead of 1.
def recall_at(found, answers, k):
    recalls = []
    for row, right in zip(found, answers):
        hits = {int(i) for i in row[:k]} & {int(i) for i in right}
        recalls.append(len(hits) / len(right) if len(right) else 0.0)
    return float(np.mean(recalls))


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, right in zip(found, answers):
        for rank, index in enumerate(row, 1):
            if index in right:
                total += 1 / rank
                break
    return total / len(found)
