# expects: Your code prints even though verbose is False.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(a) * embed(b)))
    print(f"similarity {similarity:.3f}")
    return similarity > threshold
