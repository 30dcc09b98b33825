# expects: The rows of a batch have different lengths: pad them all to the same length.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    first, second = embed(np.array([to_ids(question1), to_ids(question2)]))
    similarity = float(np.dot(first, second))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
