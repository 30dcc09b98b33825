# expects: Your code changes `score` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on
# scales in place, so the caller's scores are changed and no new array is returned; shown by comparing the scores before and after.
def scale_scores(score):
    score /= 2.5
    score -= 1
    return score
