# expects: is a `return` missing?
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count, replace=False)
    held_out = np.isin(alphabets, chosen)
    result = np.flatnonzero(~held_out), np.flatnonzero(held_out)
