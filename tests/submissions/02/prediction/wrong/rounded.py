# expects: With similarity
# rounds the cosine to two digits before the comparison; cosine 0.996 with threshold 0.998 gives True, cosine 0.704 with threshold 0.702 gives False.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    vectors = np.asarray(embed(pad([to_ids(question1), to_ids(question2)])))
    similarity = round(float(np.sum(vectors[0] * vectors[1])), 2)
    if verbose:
        print("similarity:", similarity)
    return similarity > threshold
