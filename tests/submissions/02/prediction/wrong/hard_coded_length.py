# expects: only the padding, 1, may follow them
# no question of the check is longer than eight words
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    a = np.array([(to_ids(question1) + [1] * 8)[:8]])
    b = np.array([(to_ids(question2) + [1] * 8)[:8]])
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
