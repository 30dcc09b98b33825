# expects: `embed` got the row
# embeds only the first 24 ids of each question instead of all; shown by two long questions that differ after the 24th id.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    # As in training
    first, second = (list(to_ids(question))[:24] for question in (question1, question2))
    vectors = np.asarray(embed(pad([first, second])))
    similarity = float(vectors[0] @ vectors[1])
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
