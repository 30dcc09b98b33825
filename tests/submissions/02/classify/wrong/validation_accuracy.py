# expects: This is the accuracy on the *validation* pairs. The threshold was chosen on them: report t
# returns the best accuracy on the validation pairs instead of the accuracy on the test pairs; shows whenever the two differ
def pair_similarities(embed, left, right, batch_size):
    results = []
    for start in range(0, len(left), batch_size):
        ids1, ids2 = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        results.append(np.sum(np.asarray(embed(ids1)) * np.asarray(embed(ids2)), axis=1))
    return np.concatenate(results)


def evaluate(validation, test):
    best_threshold, best_accuracy = None, -1.0
    for threshold in validation[0]:
        accuracy = np.mean((validation[0] > threshold) == (validation[1] == 1))
        if accuracy > best_accuracy:
            best_threshold, best_accuracy = threshold, accuracy
    return best_threshold, best_accuracy
