# expects: contains True and False
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count, replace=False)
    held_out = np.isin(alphabets, chosen)
    return ~held_out, held_out
