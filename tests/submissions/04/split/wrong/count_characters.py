# expects: Choose whole *alphabets*
def split_alphabets(alphabets, count, rng):
    held_out = rng.choice(len(alphabets), count, replace=False)
    return np.setdiff1d(np.arange(len(alphabets)), held_out), np.sort(held_out)
