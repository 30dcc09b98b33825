# expects: A value is off
def scale_scores(score):
    return np.tanh(score - 2.5)
