# expects: Your code changes `references` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Wo
# cosine_similarities scales the caller's arrays in place to save memory; any float array changes, also the images behind a reshaped view.
def cosine_similarities(queries, references):
    for side in (queries, references):
        side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
    return queries @ references.T


def one_shot_accuracy(similarity, runs):
    hits = [np.argmax(similarity(run.test, run.train), axis=1) == run.answers for run in runs]
    return float(np.mean(np.concatenate(hits)))
