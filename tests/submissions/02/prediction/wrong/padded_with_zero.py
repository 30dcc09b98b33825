# expects: `embed` got the row
# pads with 0, the id of unknown words, instead of 1; shows for two questions of different lengths
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    rows = [list(to_ids(question1)), list(to_ids(question2))]
    ids = np.zeros((2, max(len(row) for row in rows)), dtype="int32")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    vectors = np.asarray(embed(ids))
    similarity = float(vectors[0] @ vectors[1])
    if verbose:
        print("similarity", similarity)
    return similarity > threshold
