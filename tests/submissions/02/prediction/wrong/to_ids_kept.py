# expects: `embed` got the row
kept = {}


def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    to_ids = kept.setdefault("to_ids", to_ids)
    first, second = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(first) * embed(second)))
    if verbose:
        print(f"similarity {similarity:.3f}")
    return similarity > threshold
