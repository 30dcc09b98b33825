# expects: All rows found are counted
def recall_at(found, answers, k):
    hits = [len(set(row) & set(right)) > 0 for row, right in zip(found.tolist(), answers)]
    return np.mean(hits)


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, right in zip(found, answers):
        for rank, index in enumerate(row, 1):
            if index in right:
                total += 1 / rank
                break
    return total / len(answers)
