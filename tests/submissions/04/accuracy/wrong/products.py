# expects: Divide by the lengths of both vectors
def cosine_similarities(queries, references):
    q = queries
    r = references
    return q @ r.T


def one_shot_accuracy(similarity, runs):
    hits = []
    for run in runs:
        hits.extend(similarity(run.test, run.train).argmax(axis=1) == run.answers)
    return np.mean(hits)
