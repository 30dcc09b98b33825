# expects: This is one accuracy for each run
def cosine_similarities(queries, references):
    q = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    r = references / np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)
    return q @ r.T


def one_shot_accuracy(similarity, runs):
    return [np.mean(similarity(r.test, r.train).argmax(axis=1) == r.answers) for r in runs]
