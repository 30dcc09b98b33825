def recall_at(found, answers, k):
    count = 0
    for query in range(len(found)):
        count += bool(np.intersect1d(found[query, :k], answers[query]).size)
    return np.float32(count / len(found))


def mean_reciprocal_rank(found, answers):
    k = found.shape[1]
    recalls = [recall_at(found, answers, rank) for rank in range(k + 1)]
    return np.float32(sum((recalls[i] - recalls[i - 1]) / i for i in range(1, k + 1)))
