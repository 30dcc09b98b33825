# expects: Your code stopped with `ValueError` in line
# only alphabets with more than `ways` characters count, not those with exactly `ways`; an alphabet of 20 characters is never drawn for ways = 20 (an error if there's no larger one).
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes > ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    asked = np.array([(c, d) for c in characters for d in drawers[shots:]])
    order = rng.permutation(ways * queries)
    return support, asked[order], np.repeat(np.arange(ways), queries)[order]
