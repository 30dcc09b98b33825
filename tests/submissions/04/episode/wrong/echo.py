# expects: Return three arrays
def draw_episode(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    return alphabets
