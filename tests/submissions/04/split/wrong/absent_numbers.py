# expects: 1 alphabets are held out; expected `count` = 4. Draw `count`
# draws from 0 to the largest number, not from the alphabets that occur; with alphabets [3, 3, 40, 40, 70], most draws hold out nothing.
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.max(alphabets) + 1, count, replace=False)
    held = np.isin(alphabets, chosen)
    return np.flatnonzero(~held), np.flatnonzero(held)
