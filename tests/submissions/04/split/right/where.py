def split_alphabets(alphabets, count, rng):
    names = np.array(sorted(set(alphabets.tolist())))
    rng.shuffle(names)
    held_out = (alphabets[:, None] == names[:count]).any(axis=1)
    return np.where(~held_out)[0], np.where(held_out)[0]
