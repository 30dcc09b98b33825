# expects: `embed` got the row [336, 321, 314, 351, 0, 0].
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    ids = [to_ids(question1), to_ids(question2)]
    table = np.zeros((2, max(map(len, ids))), "int32")
    for place, row in zip(table, ids):
        place[: len(row)] = row
    one, two = np.asarray(embed(table))
    similarity = float(one @ two)
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
