# expects: At your threshold
# calls a pair a duplicate if its similarity is at least the threshold (>=) instead of above it (>); shown by every choice, since the threshold is one of the similarities: for similarities 0.2 (different) and 0.8 (same) it returns 0.8, with which > finds no duplicate.
def pair_similarities(embed, left, right, batch_size):
    similarities = [np.zeros(0)]
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        similarities.append(np.sum(np.asarray(embed(a)) * np.asarray(embed(b)), axis=1))
    return np.concatenate(similarities)


def evaluate(validation, test):
    similarities, same = validation
    best, threshold = -1.0, 0.0
    for candidate in similarities:
        accuracy = np.mean((similarities >= candidate) == (same == 1))
        if accuracy > best:
            best, threshold = accuracy, candidate
    similarities, same = test
    return threshold, np.mean((similarities >= threshold) == (same == 1))
