def scale_scores(scores):
    scaled = []
    for value in scores:
        scaled.append(2 * float(value) / 5 - 1)
    return scaled
