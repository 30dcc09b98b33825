# expects: The smallest and the largest score that happen to occur are used as the ends. The ends are
# scales the smallest and largest score of the data to -1 and 1 instead of 0 and 5; shown by scores that don't contain both 0 and 5, e.g. [1, 2, 3].
def scale_scores(score):
    # Works for scores on any scale
    low, high = np.min(score), np.max(score)
    return 2 * (score - low) / (high - low) - 1
