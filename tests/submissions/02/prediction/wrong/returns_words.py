# expects: The result is a string. Return True or False.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(similarity)
    return "duplicates" if similarity > threshold else "different"
