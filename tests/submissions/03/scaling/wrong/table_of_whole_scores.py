# expects: A value is off
# looks the score up in a table of the six whole scores, so fractions are cut off; shown by a score such as 2.5 or 3.8.
def scale_scores(score):
    return np.linspace(-1, 1, 6)[np.asarray(score).astype(int)]
