# expects: A value is off
# sorts the pairs by length to save padding, and returns the cosines in that order instead of the order of the pairs; shown by a longer pair before a shorter one.
def pair_similarities(embed, left, right, batch_size):
    # Batches of pairs of similar length need little padding
    order = np.argsort([max(len(a), len(b)) for a, b in zip(left, right)], kind="stable")
    similarities = [np.zeros(0)]
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        a, b = pad_pair([left[row] for row in rows], [right[row] for row in rows])
        similarities.append(np.sum(np.asarray(embed(a)) * np.asarray(embed(b)), axis=1))
    return np.concatenate(similarities)


def evaluate(validation, test):
    similarities, same = validation
    accuracies = [np.mean((similarities > candidate) == (same == 1)) for candidate in similarities]
    threshold = similarities[int(np.argmax(accuracies))]
    similarities, same = test
    return threshold, np.mean((similarities > threshold) == (same == 1))
