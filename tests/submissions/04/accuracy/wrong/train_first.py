# expects: A value is off
# one_shot_accuracy calls similarity(train, test) and searches the columns; a similarity that treats its two sides differently gives a wrong score.
def cosine_similarities(queries, references):
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(references, axis=1)
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    hits = []
    for run in runs:
        table = similarity(run.train, run.test)
        hits.extend(np.argmax(table, axis=0) == run.answers)
    return np.mean(hits)
