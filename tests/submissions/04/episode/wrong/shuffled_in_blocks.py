# expects: The queries come in blocks, those of one drawer after those of another. Shuffle all of the
# shuffles the characters for each query drawer separately, so the order isn't random; with queries = 2, the first `ways` queries are always all by one drawer and show every character once.
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, sizes = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[sizes >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    drawers = rng.choice(drawings, shots + queries, replace=False)
    support = np.array([[(c, d) for d in drawers[:shots]] for c in characters])
    asked, answers = [], []
    for drawer in drawers[shots:]:
        order = rng.permutation(ways)
        asked.append(np.stack([characters[order], np.full(ways, drawer)], axis=1))
        answers.append(order)
    return support, np.concatenate(asked), np.concatenate(answers)
