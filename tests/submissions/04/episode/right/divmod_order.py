def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    alphabets = np.asarray(alphabets)
    names, counts = np.unique(alphabets, return_counts=True)
    members = np.flatnonzero(alphabets == rng.choice(names[counts >= ways]))
    characters = rng.permutation(members)[:ways]
    drawers = rng.permutation(drawings)
    support = np.empty((ways, shots, 2), dtype=int)
    support[:, :, 0] = characters[:, None]
    support[:, :, 1] = drawers[:shots]
    answers, which = np.divmod(rng.permutation(ways * queries), queries)
    asked = np.empty((ways * queries, 2), dtype=int)
    asked[:, 0] = characters[answers]
    asked[:, 1] = drawers[shots + which]
    return support, asked, answers
