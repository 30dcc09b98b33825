def cosine_similarities(queries, references):
    queries, references = np.asarray(queries, "float64"), np.asarray(references, "float64")
    products = np.einsum("qd,rd->qr", queries, references)
    lengths = np.outer(np.sqrt((queries**2).sum(axis=1)), np.sqrt((references**2).sum(axis=1)))
    return products / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    right = trials = 0
    for run in runs:
        chosen = np.asarray(similarity(run.test, run.train)).argmax(axis=1)
        right += np.count_nonzero(chosen == np.asarray(run.answers))
        trials += len(chosen)
    return right / trials
