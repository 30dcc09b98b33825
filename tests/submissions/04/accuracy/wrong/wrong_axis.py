# expects: A value is off
# takes the argmax over the test images (axis 0) instead of over the train images; shows whenever the table isn't symmetric in its best pairs, or isn't square
def cosine_similarities(queries, references):
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(references, axis=1)[None, :]
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    right, trials = 0, 0
    for run in runs:
        table = similarity(run.test, run.train)
        chosen = np.argmax(table, axis=0)
        right += np.sum(chosen == run.answers)
        trials += len(run.answers)
    return right / trials
