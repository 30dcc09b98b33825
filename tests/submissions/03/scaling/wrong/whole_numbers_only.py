# expects: A value is off
def scale_scores(score):
    scaled = [int(value) / 2.5 - 1 for value in score]
    return np.array(scaled)
