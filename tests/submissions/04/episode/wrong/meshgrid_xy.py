# expects: A row of `support` mixes characters. Each row must have one character.
# np.meshgrid without indexing="ij" has the drawers first, so the reshape mixes characters in the rows of support; shots of 2 or more.
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, counts = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.permutation(drawings)[: shots + queries]
    support = np.stack(np.meshgrid(characters, drawers[:shots]), axis=-1).reshape(ways, shots, 2)
    answers = np.repeat(np.arange(ways), queries)
    asked = np.column_stack([characters[answers], np.tile(drawers[shots:], ways)])
    order = rng.permutation(ways * queries)
    return support, asked[order], answers[order]
