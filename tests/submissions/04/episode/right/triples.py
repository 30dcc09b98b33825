def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    members = {}
    for character, alphabet in enumerate(np.asarray(alphabets).tolist()):
        members.setdefault(alphabet, []).append(character)
    large = [characters for characters in members.values() if len(characters) >= ways]
    characters = rng.choice(large[rng.integers(len(large))], ways, replace=False).tolist()
    drawers = rng.choice(drawings, shots + queries, replace=False).tolist()
    support = [[(character, drawer) for drawer in drawers[:shots]] for character in characters]
    triples = [(c, drawer, row) for row, c in enumerate(characters) for drawer in drawers[shots:]]
    triples = rng.permutation(np.array(triples), axis=0)
    return np.array(support), triples[:, :2], triples[:, 2]
