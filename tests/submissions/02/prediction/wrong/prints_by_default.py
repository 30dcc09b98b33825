# expects: Your code prints when it's called without `verbose`
def predict(question1, question2, to_ids, embed, threshold, verbose=True):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
