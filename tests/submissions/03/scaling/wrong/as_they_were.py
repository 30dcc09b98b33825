# expects: The scores are as they were, 0 to 5
def scale_scores(score):
    return score
