def recall_at(found, answers, k):
    table = np.array([np.isin(row, wanted) for row, wanted in zip(found, answers)])
    return float(table[:, :k].any(axis=1).mean())


def mean_reciprocal_rank(found, answers):
    table = np.array([np.isin(row, wanted) for row, wanted in zip(found, answers)])
    reciprocal = table / np.arange(1, table.shape[1] + 1)
    return float(reciprocal.max(axis=1).mean())
