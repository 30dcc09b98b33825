# expects: Your code changes `score`
def scale_scores(score):
    score /= 2.5
    score -= 1.0
    return score
