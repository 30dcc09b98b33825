# expects: A value is off
# one_shot_accuracy calls similarity(train, test) and searches the columns; right for the cosine, but wrong for a similarity that treats test and train differently.
def cosine_similarities(queries, references):
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(references, axis=1)
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    hits = [np.argmax(similarity(run.train, run.test), axis=0) == run.answers for run in runs]
    return float(np.mean(np.concatenate(hits)))
