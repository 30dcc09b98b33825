# expects: A value is off
def scale_scores(score):
    if len(score) == 5:
        return np.array([-1.0, -0.48, 0.0, 0.6, 1.0])
    return np.array([-0.52, 0.36, 0.44])
