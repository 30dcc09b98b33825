# expects: Two runs with the same seed differ
def split_alphabets(alphabets, count, rng):
    chosen = np.random.default_rng().choice(np.unique(alphabets), count, replace=False)
    held_out = np.isin(alphabets, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
