# expects: your code changes the scores that were handed in
def scale_scores(score):
    score /= 2.5
    score -= 1.0
    return score
