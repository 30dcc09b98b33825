# expects: A row of zeros, a blank image, gives NaN:
# guards only the lengths of the queries against 0, so a blank reference gives NaN instead of 0
def cosine_similarities(queries, references):
    query_lengths = np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-12)
    reference_lengths = np.linalg.norm(references, axis=1, keepdims=True)
    return (queries / query_lengths) @ (references / reference_lengths).T


def one_shot_accuracy(similarity, runs):
    correct = [np.argmax(similarity(run.test, run.train), axis=1) == run.answers for run in runs]
    return np.mean(np.concatenate(correct))
