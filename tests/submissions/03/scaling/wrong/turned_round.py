# expects: The scale is reversed
def scale_scores(score):
    # a high score means a small distance
    return 1 - 2 * score / 5
