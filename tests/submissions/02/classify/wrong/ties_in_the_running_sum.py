# expects: At your threshold
# finds the best threshold with running sums over the sorted pairs, which split pairs of equal similarity; shown by ties: similarities 0.9, 0.5, 0.5, 0.5, 0.5, 0.1 with same 1, 1, 1, 1, 0, 0 give 0.5 (3 of 6 right) instead of 0.1 (5 of 6).
def pair_similarities(embed, left, right, batch_size):
    similarities = [np.zeros(0)]
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        similarities.append(np.sum(np.asarray(embed(a)) * np.asarray(embed(b)), axis=1))
    return np.concatenate(similarities)


def evaluate(validation, test):
    similarities, same = (np.asarray(values) for values in validation)
    order = np.argsort(-similarities, kind="stable")
    duplicate = same[order] == 1
    # Right answers if the threshold is the similarity of pair k: duplicates before k, others from k on
    accepted = np.cumsum(duplicate) - duplicate
    rejected = np.cumsum(~duplicate[::-1])[::-1]
    threshold = similarities[order[np.argmax(accepted + rejected)]]
    similarities, same = (np.asarray(values) for values in test)
    return threshold, np.mean((similarities > threshold) == (same == 1))
