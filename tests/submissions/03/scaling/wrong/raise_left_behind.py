# expects: is still in your code: delete it
def scale_scores(score):
    scaled = score / 2.5
    raise NotImplementedError("not attempted")
    return scaled - 1.0
