# expects: The result is `None`: is a `return` missing?
# the return is inside the if, so without verbose the function returns None
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    first = np.asarray(embed(pad([to_ids(question1)])))[0]
    second = np.asarray(embed(pad([to_ids(question2)])))[0]
    similarity = float(first @ second)
    if verbose:
        print("similarity:", similarity)
        return similarity > threshold
