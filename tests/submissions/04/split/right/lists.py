def split_alphabets(alphabets, count, rng):
    chosen = set(rng.permutation(np.unique(alphabets))[:count].tolist())
    train, held_out = [], []
    for place, alphabet in enumerate(alphabets):
        (held_out if alphabet in chosen else train).append(place)
    return np.array(train), np.array(held_out)
