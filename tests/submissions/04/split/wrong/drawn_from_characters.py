# expects: Draw `count` *different* ones
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(alphabets, count, replace=False)
    held_out = np.isin(alphabets, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
