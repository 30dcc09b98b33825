# expects: `//` drops the fraction
def scale_scores(score):
    return score // 2.5 - 1.0
