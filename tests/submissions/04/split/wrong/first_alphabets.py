# expects: The same alphabets are held out
def split_alphabets(alphabets, count, rng):
    chosen = np.unique(alphabets)[:count]
    held_out = np.isin(alphabets, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
