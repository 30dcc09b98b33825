def split_alphabets(alphabets, count, rng):
    names = sorted({int(alphabet) for alphabet in alphabets})
    rng.shuffle(names)
    chosen = set(names[:count])
    sides = ([], [])
    for index, alphabet in enumerate(alphabets):
        sides[int(alphabet) in chosen].append(index)
    train, held_out = (np.array(side, dtype=int) for side in sides)
    return train, held_out
