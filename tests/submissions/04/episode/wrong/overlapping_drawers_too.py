# expects: A drawing is in support *and* queries: recognizing the same drawing is not a test.
# draws the drawers of the queries from all drawers, so a query can be the very drawing in the support; shows for some seeds with any sizes
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    support_drawers = rng.choice(drawings, shots, replace=False)
    query_drawers = rng.choice(drawings, queries, replace=False)
    support = np.array([[(c, d) for d in support_drawers] for c in characters])
    pairs = np.array([(c, d) for c in characters for d in query_drawers])
    answers = np.repeat(np.arange(ways), queries)
    order = rng.permutation(ways * queries)
    return support, pairs[order], answers[order]
