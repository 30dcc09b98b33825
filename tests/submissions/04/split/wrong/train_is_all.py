# expects: Characters on both sides
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count, replace=False)
    held_out = np.isin(alphabets, chosen)
    return np.arange(len(alphabets)), np.flatnonzero(held_out)
