# expects: your code changes the scores that it was given
def scale_scores(score):
    score /= 2.5
    score -= 1.0
    return score
