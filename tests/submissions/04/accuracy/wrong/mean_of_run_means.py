# expects: for runs of 4 trials, 9 trials
def cosine_similarities(queries, references):
    q = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    r = references / np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)
    return q @ r.T


def one_shot_accuracy(similarity, runs):
    return float(
        np.mean(
            [
                np.mean(np.argmax(similarity(run.test, run.train), axis=1) == run.answers)
                for run in runs
            ]
        )
    )
