# expects: The smallest and the largest score that happen to occur
def scale_scores(score):
    low, high = np.min(score), np.max(score)
    return (score - low) / (high - low) * 2 - 1
