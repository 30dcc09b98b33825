# expects: The result has shape
def cosine_similarities(queries, references):
    return queries


def one_shot_accuracy(similarity, runs):
    hits = []
    for run in runs:
        hits.extend(similarity(run.test, run.train).argmax(axis=1) == run.answers)
    return np.mean(hits)
