import random


def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    chance = random.Random(int(rng.integers(10**9)))
    groups = {}
    for place, alphabet in enumerate(alphabets):
        groups.setdefault(int(alphabet), []).append(place)
    characters = chance.sample(chance.choice([g for g in groups.values() if len(g) >= ways]), ways)
    drawers = chance.sample(range(drawings), shots + queries)
    asked = [(row, c, d) for row, c in enumerate(characters) for d in drawers[shots:]]
    chance.shuffle(asked)
    support = np.array([[[c, d] for d in drawers[:shots]] for c in characters])
    return support, np.array([each[1:] for each in asked]), np.array([each[0] for each in asked])
