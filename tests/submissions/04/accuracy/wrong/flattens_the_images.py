# expects: expected images
def cosine_similarities(queries, references):
    q = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    r = references / np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)
    return q @ r.T


def one_shot_accuracy(similarity, runs):
    right = []
    for run in runs:
        test, train = run.test.reshape(len(run.test), -1), run.train.reshape(len(run.train), -1)
        right.extend(np.argmax(similarity(test, train), axis=1) == run.answers)
    return float(np.mean(right))
