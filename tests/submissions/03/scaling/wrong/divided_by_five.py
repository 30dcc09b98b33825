# expects: This maps the scores onto 0 to 1
def scale_scores(score):
    return score / 5
