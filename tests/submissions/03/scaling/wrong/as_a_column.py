# expects: The result has shape (5, 1); expected (5,)
def scale_scores(score):
    return (score / 2.5 - 1.0)[:, np.newaxis]
