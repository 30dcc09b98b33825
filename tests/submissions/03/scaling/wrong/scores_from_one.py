# expects: This would be right for scores from 1 to 5
def scale_scores(score):
    low, high = 1, 5
    return 2 * (score - low) / (high - low) - 1
