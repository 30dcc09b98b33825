# expects: A value is off
# rounds: 4.333 and 4.34 become the same
def scale_scores(score):
    return np.round(score / 2.5 - 1, 2)
