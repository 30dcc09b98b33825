# expects: The support comes from
# draws new drawers for each character instead of the same ones for all; any episode with two or more ways.
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    names, counts = np.unique(alphabets, return_counts=True)
    alphabet = rng.choice(names[counts >= ways])
    characters = rng.choice(np.flatnonzero(alphabets == alphabet), ways, replace=False)
    support, asked, answers = [], [], []
    for row, character in enumerate(characters):
        drawers = rng.choice(drawings, shots + queries, replace=False)
        support.append([(character, drawer) for drawer in drawers[:shots]])
        for drawer in drawers[shots:]:
            asked.append((character, drawer))
            answers.append(row)
    order = rng.permutation(len(asked))
    return np.array(support), np.array(asked)[order], np.array(answers)[order]
