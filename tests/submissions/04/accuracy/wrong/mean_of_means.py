# expects: A value is off
# takes the mean of the runs' accuracies, not the fraction of all trials; runs with different numbers of test images.
def cosine_similarities(queries, references):
    lengths = np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(references, axis=1))
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    return np.mean(
        [np.mean(similarity(run.test, run.train).argmax(axis=1) == run.answers) for run in runs]
    )
