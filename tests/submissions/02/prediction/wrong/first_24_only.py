# expects: only the padding, 1, may follow them
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)[:24]], [to_ids(question2)[:24]])
    similarity = float(np.sum(np.asarray(embed(a)) * np.asarray(embed(b))))
    if verbose:
        print(similarity)
    return similarity > threshold
