# expects: These are the alphabets
def split_alphabets(alphabets, count, rng):
    names = rng.permutation(np.unique(alphabets))
    return np.sort(names[count:]), np.sort(names[:count])
