# expects: `embed` got the row [336, 321, 222, 323].
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    one, two = to_ids(question1), to_ids(question2)
    length = min(len(one), len(two))
    first, second = np.asarray(embed(np.array([one[:length], two[:length]])))
    similarity = float(np.dot(first, second))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
