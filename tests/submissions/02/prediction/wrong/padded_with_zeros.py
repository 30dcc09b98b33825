# expects: only the padding, 1, may follow them
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    ids = [to_ids(question1), to_ids(question2)]
    batch = np.zeros((2, 16), dtype=int)
    for row, question in zip(batch, ids):
        row[: len(question)] = question
    first, second = embed(batch)
    similarity = float(np.dot(first, second))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
