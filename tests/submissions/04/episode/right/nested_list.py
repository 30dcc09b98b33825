def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, counts = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    support = [[(c, d) for d in drawers[:shots]] for c in characters]
    asked = rng.permutation([(c, d, n) for n, c in enumerate(characters) for d in drawers[shots:]])
    return support, asked[:, :2], asked[:, 2]
