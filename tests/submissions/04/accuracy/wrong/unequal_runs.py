# expects: A value is off
# averages the accuracies of the runs instead of counting trials; shows when the runs have different numbers of test images
def cosine_similarities(queries, references):
    lengths = np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(references, axis=1))
    return queries @ references.T / np.maximum(lengths, 1e-12)


def one_shot_accuracy(similarity, runs):
    accuracies = []
    for run in runs:
        chosen = np.argmax(similarity(run.test, run.train), axis=1)
        accuracies.append(np.mean(chosen == run.answers))
    return np.mean(accuracies)
