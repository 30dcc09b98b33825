def scale_scores(score):
    slope, offset = 2 / 5, -1.0
    return np.polyval([slope, offset], score)
