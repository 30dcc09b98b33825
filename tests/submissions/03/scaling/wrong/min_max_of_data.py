# expects: The smallest and the largest score that happen to occur are used as the ends. The ends are
# scales by the smallest and largest score of the array instead of 0 and 5; it shows for arrays that lack a 0 or a 5
def scale_scores(score):
    low, high = score.min(), score.max()
    return 2 * (score - low) / (high - low) - 1
