# expects: Choose whole *alphabets*
def split_alphabets(alphabets, count, rng):
    order = rng.permutation(len(alphabets))
    size = len(alphabets) * count // len(np.unique(alphabets))
    return np.sort(order[size:]), np.sort(order[:size])
