def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    members = {}
    for index, alphabet in enumerate(alphabets):
        members.setdefault(int(alphabet), []).append(index)
    large = [indices for indices in members.values() if len(indices) >= ways]
    characters = list(large[rng.integers(len(large))])
    rng.shuffle(characters)
    characters = characters[:ways]
    drawers = list(range(drawings))
    rng.shuffle(drawers)
    examples, asked = drawers[:shots], drawers[shots : shots + queries]
    triples = [(c, d, row) for row, c in enumerate(characters) for d in asked]
    rng.shuffle(triples)
    table = np.array(triples)
    support = np.array([[(c, d) for d in examples] for c in characters])
    return support, table[:, :2], table[:, 2]
