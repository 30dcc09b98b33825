# expects: and shuffle them together
# lists the queries drawer by drawer but the answers character by character, so the answers are wrong when queries is 2 or more
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.permutation(drawings)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    pairs = np.array([(c, d) for d in drawers[shots : shots + queries] for c in characters])
    answers = np.repeat(np.arange(ways), queries)
    order = rng.permutation(len(pairs))
    return support, pairs[order], answers[order]
