def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    large = [a for a in set(alphabets.tolist()) if (alphabets == a).sum() >= ways]
    alphabet = rng.permutation(sorted(large))[0]
    characters = rng.permutation(np.where(alphabets == alphabet)[0])[:ways]
    drawers = rng.permutation(drawings)[: shots + queries]
    grid = np.stack(np.meshgrid(characters, drawers, indexing="ij"), axis=-1)
    answers = rng.permutation(np.arange(ways * queries))
    asked = grid[:, shots:].reshape(-1, 2)[answers]
    return grid[:, :shots], asked, answers // queries
