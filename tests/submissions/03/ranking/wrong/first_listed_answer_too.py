# expects: A value is off
# MRR takes the rank of the answer that is listed first, not of the answer that is found first; it shows for a query whose second listed answer ranks better
def recall_at(found, answers, k):
    good = [any(hit in wanted for hit in row[:k]) for row, wanted in zip(found, answers)]
    return float(np.mean(good))


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, wanted in zip(found, answers):
        row = list(row)
        for answer in wanted:
            if answer in row:
                total += 1 / (row.index(answer) + 1)
                break
    return total / len(answers)
