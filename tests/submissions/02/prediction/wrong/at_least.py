# expects: A similarity equal to the threshold counts as a duplicate. Only one above it should: use `
# a similarity equal to the threshold counts as above it (>= instead of >)
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    first, second = np.asarray(embed(pad([to_ids(question1), to_ids(question2)])))
    similarity = np.dot(first, second)
    if verbose:
        print("similarity:", similarity)
    return bool(similarity >= threshold)
