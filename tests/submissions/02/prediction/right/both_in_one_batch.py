def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    questions = [to_ids(question) for question in (question1, question2)]
    longest = max(len(question) for question in questions)
    length = 2 ** int(np.ceil(np.log2(longest)))
    batch = np.ones((2, length), dtype=np.int64)
    for row, question in zip(batch, questions):
        row[: len(question)] = question
    first, second = np.asarray(embed(batch), dtype=float)
    similarity = first @ second
    if verbose:
        print(f"The similarity is {similarity:.4f}.")
    if similarity > threshold:
        return True
    return False
