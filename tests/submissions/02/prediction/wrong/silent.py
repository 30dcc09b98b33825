# expects: With verbose=True it should print the similarity.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    return float(np.sum(embed(a) * embed(b))) > threshold
