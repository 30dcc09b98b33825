# expects: The scores are standardized
def scale_scores(score):
    return (score - np.mean(score)) / np.std(score)
