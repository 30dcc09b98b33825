def scale_scores(score):
    return np.interp(score, [0, 5], [-1, 1])
