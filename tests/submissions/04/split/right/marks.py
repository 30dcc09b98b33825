def split_alphabets(alphabets, count, rng):
    different, codes = np.unique(np.asarray(alphabets), return_inverse=True)
    marks = np.zeros(len(different), dtype=bool)
    marks[rng.choice(len(different), size=count, replace=False)] = True
    held_out = marks[codes]
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
