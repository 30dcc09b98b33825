# expects: A value is off: 0, where -1 was expected
def scale_scores(score):
    return np.zeros(len(score))
