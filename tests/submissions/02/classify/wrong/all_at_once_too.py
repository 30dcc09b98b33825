# expects: More than batch_size pairs were embedded at once. Go batch by batch: the real data has tho
# ignores batch_size and embeds all pairs in one call, although the text allows at most batch_size pairs at a time; shows when n is above batch_size
def pair_similarities(embed, left, right, batch_size):
    ids1, ids2 = pad_pair(left, right)
    return np.sum(np.asarray(embed(ids1)) * np.asarray(embed(ids2)), axis=1)


def evaluate(validation, test):
    similarities, same = validation
    accuracies = [np.mean((similarities > threshold) == (same == 1)) for threshold in similarities]
    threshold = similarities[int(np.argmax(accuracies))]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
