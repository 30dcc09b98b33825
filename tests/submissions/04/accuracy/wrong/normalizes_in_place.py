# expects: Your code changes `references` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Wo
# cosine_similarities scales its arguments with /=, so it changes them; after any call with rows whose length isn't 1, the caller's arrays differ.
def cosine_similarities(queries, references):
    queries /= np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    references /= np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)
    return queries @ references.T


def one_shot_accuracy(similarity, runs):
    hits = [np.argmax(similarity(run.test, run.train), axis=1) == run.answers for run in runs]
    return float(np.mean(np.concatenate(hits)))
