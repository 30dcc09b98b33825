# expects: Your code changes `found` or `answers`
def recall_at(found, answers, k):
    found.sort(axis=1)
    return np.mean([any(index in right for index in row[:k]) for row, right in zip(found, answers)])


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, right in zip(found, answers):
        for rank, index in enumerate(row, 1):
            if index in right:
                total += 1 / rank
                break
    return total / len(answers)
