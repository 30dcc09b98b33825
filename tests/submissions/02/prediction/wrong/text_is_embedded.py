# expects: Your code stopped with
# to_ids is not used
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([question1], [question2])
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
