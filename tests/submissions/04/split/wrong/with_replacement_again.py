# expects: 3 alphabets are held out; expected `count` = 4. Draw `count`
# draws the alphabets with replacement, so one may be drawn twice; count = 6 of 7 alphabets usually holds out fewer than 6.
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count)
    held = np.isin(alphabets, chosen)
    return np.flatnonzero(~held), np.flatnonzero(held)
