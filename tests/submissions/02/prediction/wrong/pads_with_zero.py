# expects: `embed` got the row
# pads the shorter question with 0, the unknown word, instead of 1; shown by two questions of different length.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    rows = [to_ids(question1), to_ids(question2)]
    ids = np.zeros((2, max(len(row) for row in rows)), dtype="int32")
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
    vectors = np.asarray(embed(ids))
    similarity = float(np.sum(vectors[0] * vectors[1]))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
