# expects: Your code changes `score` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on
# changes the given array in place and returns it instead of a new one, so the scores themselves are from -1 to 1 afterwards.
def scale_scores(score):
    score /= 2.5
    score -= 1.0
    return score
