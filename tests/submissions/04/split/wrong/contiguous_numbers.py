# expects: 1 alphabets are held out; expected `count` = 3. Draw `count`
# assumes that the alphabets are numbered 0, 1, 2, ... without gaps; with numbers such as 3, 10, 25 too few alphabets are held out
def split_alphabets(alphabets, count, rng):
    chosen = rng.permutation(np.max(alphabets) + 1)[:count]
    held = np.isin(alphabets, chosen)
    return np.flatnonzero(~held), np.flatnonzero(held)
