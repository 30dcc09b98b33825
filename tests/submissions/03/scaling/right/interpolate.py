def scale_scores(score):
    return np.interp(score, [0.0, 5.0], [-1.0, 1.0])
