# expects: and shuffle them together
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, counts = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    asked = [(c, d, row) for row, c in enumerate(characters) for d in drawers[shots:]]
    asked = rng.permutation(asked)
    return support, asked[:, :2], rng.permutation(asked[:, 2])
