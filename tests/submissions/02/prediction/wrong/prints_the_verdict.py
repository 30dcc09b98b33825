# expects: The similarity, 0.860, should be in it.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    duplicates = float(np.sum(embed(a) * embed(b))) > threshold
    if verbose:
        print("duplicates" if duplicates else "different")
    return duplicates
