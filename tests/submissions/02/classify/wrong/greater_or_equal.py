# expects: At your threshold
# chooses the threshold with similarity >= threshold but uses > afterwards, so it returns the lowest duplicate's similarity instead of the highest other one's; validation 0.2, 0.8, 0.9 with labels 0, 1, 1 gives 0.8 and calls a duplicate at 0.8 different.
def pair_similarities(embed, left, right, batch_size):
    parts = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        parts.append(np.sum(np.asarray(embed(a)) * np.asarray(embed(b)), axis=1))
    return np.concatenate(parts)


def evaluate(validation, test):
    similarities, same = validation
    accuracies = [np.mean((similarities >= threshold) == (same == 1)) for threshold in similarities]
    threshold = similarities[np.argmax(accuracies)]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
