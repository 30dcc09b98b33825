# expects: This goes from 0 to 2. Subtract 1
def scale_scores(score):
    return score * 2 / 5
