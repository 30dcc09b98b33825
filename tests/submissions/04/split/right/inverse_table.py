def split_alphabets(alphabets, count, rng):
    names, member = np.unique(alphabets, return_inverse=True)
    is_held = np.zeros(len(names), dtype=bool)
    is_held[np.argsort(rng.random(len(names)))[:count]] = True
    mask = is_held[member]
    return np.flatnonzero(~mask), np.flatnonzero(mask)
