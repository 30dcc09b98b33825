# expects: Called with another similarity
kept = {}


def cosine_similarities(queries, references):
    q, r = (
        rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        for rows in (queries, references)
    )
    return q @ r.T


def one_shot_accuracy(similarity, runs):
    similarity = kept.setdefault("similarity", similarity)
    right = [similarity(run.test, run.train).argmax(axis=1) == run.answers for run in runs]
    return np.mean(np.concatenate(right))
