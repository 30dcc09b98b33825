# expects: A single question is a batch of one: `[ids]`.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = np.array(to_ids(question1)), np.array(to_ids(question2))
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
