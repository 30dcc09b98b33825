def split_alphabets(alphabets, count, rng):
    alphabets = np.asarray(alphabets).tolist()
    shuffled = rng.permutation(sorted(set(alphabets))).tolist()
    chosen = set(shuffled[len(shuffled) - count :])
    train = [i for i, alphabet in enumerate(alphabets) if alphabet not in chosen]
    held_out = [i for i, alphabet in enumerate(alphabets) if alphabet in chosen]
    return np.array(train, dtype=int), np.array(held_out, dtype=int)
