# expects: alphabets are held out; expected `count`
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), 6, replace=False)
    held_out = np.isin(alphabets, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
