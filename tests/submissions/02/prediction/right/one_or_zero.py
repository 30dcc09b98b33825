def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    first, second = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = embed(first)[0] @ embed(second)[0]
    if verbose:
        print("similarity:", similarity)
    return int(similarity > threshold)
