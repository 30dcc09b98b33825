def line(x, x0, y0, x1, y1):
    """The straight line through two points."""
    slope = (y1 - y0) / (x1 - x0)
    return y0 + slope * (x - x0)


def scale_scores(score):
    return line(score, x0=0, y0=-1, x1=5, y1=1)
