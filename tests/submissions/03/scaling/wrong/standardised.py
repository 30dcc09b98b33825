# expects: The scores are standardised
def scale_scores(score):
    return (score - np.mean(score)) / np.std(score)
