def recall_at(found, answers, k):
    misses = sum(set(wanted).isdisjoint(list(row)[:k]) for row, wanted in zip(found, answers))
    return 1 - misses / len(answers)


def mean_reciprocal_rank(found, answers):
    def reciprocal(row, wanted):
        wanted = set(wanted)
        return next((1 / rank for rank, hit in enumerate(row, start=1) if hit in wanted), 0.0)

    return sum(map(reciprocal, found, answers)) / len(answers)
