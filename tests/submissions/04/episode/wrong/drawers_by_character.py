# expects: draw the drawers once
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, counts = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    people = [rng.choice(drawings, shots + queries, replace=False) for _ in characters]
    support = np.array([[(c, d) for d in p[:shots]] for c, p in zip(characters, people)])
    asked = [(c, d, row) for row, c in enumerate(characters) for d in people[row][shots:]]
    asked = rng.permutation(asked)
    return support, asked[:, :2], asked[:, 2]
