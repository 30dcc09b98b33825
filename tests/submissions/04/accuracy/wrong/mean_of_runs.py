# expects: A value is off
# one_shot_accuracy takes the mean of the runs' accuracies, not the fraction of all trials; runs of different sizes (1 trial right, 3 trials wrong) give 0.5 instead of 0.25.
def cosine_similarities(queries, references):
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(references, axis=1)
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    accuracies = []
    for run in runs:
        chosen = np.argmax(similarity(run.test, run.train), axis=1)
        accuracies.append(np.mean(chosen == run.answers))
    return float(np.mean(accuracies))
