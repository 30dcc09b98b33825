import operator


def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    u, v = (np.ravel(embed(pad([to_ids(question)]))) for question in (question1, question2))
    similarity = np.inner(u, v)
    if verbose:
        print("cosine similarity:", similarity)
    return bool(operator.gt(similarity, threshold))
