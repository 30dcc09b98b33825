# expects: Your code stopped with `ValueError` in line
# takes only alphabets with more than `ways` characters; one with exactly `ways` is never drawn, and an error if all have exactly that many.
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    large = [a for a in np.unique(alphabets) if np.sum(alphabets == a) > ways]
    alphabet = rng.choice(large)
    characters = rng.permutation(np.flatnonzero(alphabets == alphabet))[:ways]
    drawers = rng.permutation(drawings)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    asked = np.array([(c, d) for c in characters for d in drawers[shots : shots + queries]])
    answers = np.repeat(np.arange(ways), queries)
    order = rng.permutation(len(asked))
    return support, asked[order], answers[order]
