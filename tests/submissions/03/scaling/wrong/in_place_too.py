# expects: Your code changes `score` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on
# changes the caller's array and returns it instead of a new array; it shows for any array that is looked at afterwards
def scale_scores(score):
    score *= 2 / 5
    score -= 1
    return score
