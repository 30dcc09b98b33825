# expects: Your code changes `queries`
def cosine_similarities(queries, references):
    queries /= np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    return (
        queries
        @ (references / np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)).T
    )


def one_shot_accuracy(similarity, runs):
    hits = []
    for run in runs:
        hits.extend(similarity(run.test, run.train).argmax(axis=1) == run.answers)
    return np.mean(hits)
