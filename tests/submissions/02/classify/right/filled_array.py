def pair_similarities(embed, left, right, batch_size):
    cosines = np.empty(len(left))
    start = 0
    while start < len(left):
        stop = min(start + batch_size, len(left))
        ids1, ids2 = pad_pair(left[start:stop], right[start:stop])
        cosines[start:stop] = np.einsum("nd,nd->n", np.asarray(embed(ids1)), np.asarray(embed(ids2)))
        start = stop
    return cosines


def evaluate(validation, test):
    def accuracy(threshold, similarities, same):
        mistakes = np.logical_xor(np.greater(similarities, threshold), np.equal(same, 1))
        return 1.0 - np.count_nonzero(mistakes) / len(mistakes)

    best = max(set(np.asarray(validation[0]).tolist()), key=lambda t: accuracy(t, *validation))
    return best, accuracy(best, *test)
