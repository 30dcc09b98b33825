# expects: This would be right for scores from 0 to 1
def scale_scores(score):
    return 2 * score - 1
