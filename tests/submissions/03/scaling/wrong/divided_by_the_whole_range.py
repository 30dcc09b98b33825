# expects: This goes from -1 to 0. Divide by 2.5
def scale_scores(score):
    return score / 5.0 - 1.0
