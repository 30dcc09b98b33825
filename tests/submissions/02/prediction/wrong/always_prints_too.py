# expects: Your code prints even though verbose is False.
# prints the similarity in every call, also when verbose is False
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    first = np.asarray(embed(pad([to_ids(question1)])))[0]
    second = np.asarray(embed(pad([to_ids(question2)])))[0]
    similarity = float(np.dot(first, second))
    print(f"similarity: {similarity:.3f}")
    return bool(similarity > threshold)
