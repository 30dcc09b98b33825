# expects: `embed` is not called
# returns True at once for two equal questions, without comparing with the threshold or printing; shown by verbose=True, or by a threshold of 1.5, for the same question twice.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    if question1 == question2:
        return True  # saves two runs of the network
    first = np.asarray(embed(pad([to_ids(question1)])))[0]
    second = np.asarray(embed(pad([to_ids(question2)])))[0]
    similarity = float(first @ second)
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
