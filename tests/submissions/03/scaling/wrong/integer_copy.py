# expects: expected
def scale_scores(score):
    scaled = np.array(score)
    scaled[:] = scaled / 2.5 - 1
    return scaled
