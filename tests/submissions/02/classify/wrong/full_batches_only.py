# expects: Two pairs are missing: the last batch is short, and must be scored too.
# loops over the full batches only, so the pairs of a shorter last batch are lost; shows when n is no multiple of batch_size
def pair_similarities(embed, left, right, batch_size):
    results = []
    for batch in range(len(left) // batch_size):
        rows = slice(batch * batch_size, (batch + 1) * batch_size)
        ids1, ids2 = pad_pair(left[rows], right[rows])
        results.extend(np.sum(np.asarray(embed(ids1)) * np.asarray(embed(ids2)), axis=1))
    return np.array(results)


def evaluate(validation, test):
    similarities, same = validation
    accuracies = [np.mean((similarities > threshold) == (same == 1)) for threshold in similarities]
    threshold = similarities[int(np.argmax(accuracies))]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
