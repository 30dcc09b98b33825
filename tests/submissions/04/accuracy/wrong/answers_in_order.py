# expects: Test image i is taken to belong to train image i. They are in a different order: compare w
# assumes that test image i shows the character of train image i and never looks at run.answers; shows whenever the answers aren't 0, 1, 2, ...
def cosine_similarities(queries, references):
    queries = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    references = references / np.maximum(np.linalg.norm(references, axis=1, keepdims=True), 1e-12)
    return queries @ references.T


def one_shot_accuracy(similarity, runs):
    correct = []
    for run in runs:
        best = similarity(run.test, run.train).argmax(axis=1)
        correct.extend(best == np.arange(len(run.test)))
    return np.mean(correct)
