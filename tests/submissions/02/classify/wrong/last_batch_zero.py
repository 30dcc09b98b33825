# expects: The last two similarities are wrong: check the last, short batch.
# the loop only reaches full batches, so the pairs of a shorter last batch keep similarity 0; 5 pairs with batch_size 2 give 0 for the fifth, and fewer pairs than batch_size give only zeros.
def pair_similarities(embed, left, right, batch_size):
    similarities = np.zeros(len(left))
    for start in range(0, len(left) - batch_size + 1, batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        similarities[start : start + batch_size] = np.sum(
            np.asarray(embed(a)) * np.asarray(embed(b)), axis=1
        )
    return similarities


def evaluate(validation, test):
    similarities, same = validation
    accuracies = [np.mean((similarities > threshold) == (same == 1)) for threshold in similarities]
    threshold = similarities[np.argmax(accuracies)]
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))
