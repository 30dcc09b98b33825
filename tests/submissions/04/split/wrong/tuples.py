# expects: is a tuple
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count, replace=False)
    held_out = np.isin(alphabets, chosen)
    return np.where(~held_out), np.where(held_out)
