# expects: The scores are cut off at 1
def scale_scores(score):
    return np.clip(score, -1.0, 1.0)
