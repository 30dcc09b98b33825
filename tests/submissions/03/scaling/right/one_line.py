def scale_scores(score):
    return (score - 2.5) / 2.5
