# expects: Two runs with the same seed differ. Draw every random number from `rng`.
# shuffles the queries with NumPy's global generator instead of rng, so the same seed gives a different order each time
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes >= ways])
    characters = rng.permutation(np.flatnonzero(alphabets == alphabet))[:ways]
    drawers = rng.permutation(drawings)[: shots + queries]
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    pairs = np.array([(c, d) for c in characters for d in drawers[shots:]])
    answers = np.repeat(np.arange(ways), queries)
    order = np.random.permutation(len(pairs))
    return support, pairs[order], answers[order]
