def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    def point(question):
        return np.ravel(np.asarray(embed(pad([list(to_ids(question))]))))

    similarity = float(np.vdot(point(question1), point(question2)))
    if verbose:
        print(f"similarity: {similarity:.3f}")
    return bool(similarity > threshold)
