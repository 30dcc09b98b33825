# expects: 2 alphabets have characters on both sides, such as alphabet
# holds out blocks of neighboring characters, which is only the same if each alphabet's characters follow each other; alphabets 0, 1, 0, 1 have one alphabet on both sides.
def split_alphabets(alphabets, count, rng):
    # No search through all characters: cut where the alphabet changes
    cuts = np.flatnonzero(np.diff(alphabets)) + 1
    blocks = np.split(np.arange(len(alphabets)), cuts)
    drawn = set(rng.choice(len(blocks), count, replace=False).tolist())
    none = np.zeros(0, dtype=int)
    train = np.concatenate([none, *(b for i, b in enumerate(blocks) if i not in drawn)])
    held_out = np.concatenate([none, *(b for i, b in enumerate(blocks) if i in drawn)])
    return train, held_out
