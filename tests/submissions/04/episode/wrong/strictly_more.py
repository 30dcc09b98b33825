# expects: Your code stopped with `ValueError` in line
# asks for more than `ways` characters, so an alphabet with exactly `ways` characters is never drawn (or none is left)
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes > ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    pairs = np.array([(c, d) for c in characters for d in drawers[shots:]])
    answers = np.repeat(np.arange(ways), queries)
    order = rng.permutation(len(pairs))
    return support, pairs[order], answers[order]
