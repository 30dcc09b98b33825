# expects: different characters; expected
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    return (
        np.zeros((ways, shots, 2), int),
        np.zeros((ways * queries, 2), int),
        np.repeat(np.arange(ways), queries),
    )
