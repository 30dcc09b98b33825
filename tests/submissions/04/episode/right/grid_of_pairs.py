def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    alphabets = np.asarray(alphabets)
    names, sizes = np.unique(alphabets, return_counts=True)
    candidates = names[sizes >= ways]
    alphabet = candidates[rng.integers(len(candidates))]
    characters = rng.permutation(np.flatnonzero(alphabets == alphabet))[:ways]
    drawers = rng.permutation(drawings)[: shots + queries]
    grid = np.stack(np.meshgrid(characters, drawers, indexing="ij"), axis=-1)
    support, asked = np.split(grid, [shots], axis=1)
    order = rng.permutation(ways * queries)
    return support, asked.reshape(-1, 2)[order], (np.arange(ways * queries) // queries)[order]
