# expects: The scale is reversed: a score of
# the scale is upside down, so score 0 becomes 1 and score 5 becomes -1; it shows for every score but 2.5
def scale_scores(score):
    return 1 - 2 * score / 5
