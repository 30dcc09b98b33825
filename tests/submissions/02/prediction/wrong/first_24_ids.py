# expects: `embed` got the row
# cuts the ids off after 24 instead of embedding all of them, so two long questions that only differ at the end look equal.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    ids = [list(to_ids(question))[:24] for question in (question1, question2)]
    vectors = np.asarray(embed(pad(ids)))
    similarity = float(np.dot(vectors[0], vectors[1]))
    if verbose:
        print(f"similarity: {similarity:.2f}")
    return similarity > threshold
