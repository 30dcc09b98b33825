# expects: A value is off
# found[:k] takes the first k queries instead of the first k hits of each; it shows when an answer comes after the first k hits, or when later queries differ from the first k
def recall_at(found, answers, k):
    good = [any(hit in wanted for hit in row) for row, wanted in zip(found[:k], answers)]
    return float(np.mean(good))


def mean_reciprocal_rank(found, answers):
    total = 0.0
    for row, wanted in zip(found, answers):
        for rank, hit in enumerate(row, 1):
            if hit in wanted:
                total += 1 / rank
                break
    return total / len(answers)
