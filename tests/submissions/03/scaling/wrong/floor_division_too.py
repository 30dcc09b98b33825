# expects: `//` drops the fraction. Divide with `/`.
# // rounds down, so only 0, 2.5 and 5 come out right; it shows for scores between these, such as 1.0 or 4.2
def scale_scores(score):
    return score // 2.5 - 1
