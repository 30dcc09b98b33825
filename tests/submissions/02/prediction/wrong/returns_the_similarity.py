# expects: This is the similarity. Compare it with the threshold
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = np.sum(embed(a) * embed(b))
    if verbose:
        print("similarity:", similarity)
    return similarity
