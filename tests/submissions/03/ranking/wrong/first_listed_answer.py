# expects: A value is off
# mean_reciprocal_rank looks for the answer that is listed first instead of the answer that is ranked first; hits 7, 3 with answers [3, 7] give 1/2 instead of 1.
def recall_at(found, answers, k):
    return float(
        np.mean([any(index in right for index in row[:k]) for row, right in zip(found, answers)])
    )


def mean_reciprocal_rank(found, answers):
    reciprocal = []
    for row, right in zip(found, answers):
        ranks = [list(row).index(answer) + 1 for answer in right if answer in list(row)]
        reciprocal.append(1 / ranks[0] if ranks else 0.0)
    return float(np.mean(reciprocal))
