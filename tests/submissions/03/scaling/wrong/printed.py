# expects: is a `return` missing?
def scale_scores(score):
    scaled = score / 2.5 - 1.0
    print(scaled)
