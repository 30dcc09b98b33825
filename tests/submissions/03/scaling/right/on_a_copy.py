def scale_scores(x):
    scaled = x.astype("float64")
    scaled /= 2.5
    scaled -= 1
    return scaled
