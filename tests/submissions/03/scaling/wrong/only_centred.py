# expects: This goes from -2.5 to 2.5
def scale_scores(score):
    middle = (0 + 5) / 2
    return score - middle
