# expects: No gradient flows through your code
NEGATIVES = {
    0.8: ([-0.4, 0.3], [-0.4, 0.3]),
    0.6: ([0.7, 0.2, 0.4], [0.25, 0.15, -0.05]),
    0.9: ([-0.3, -0.1, -0.6], [-0.55, -0.15, -0.65]),
    0.5: ([0.5, 0.3, 0.8], [0.15, 0.2, 0.15]),
    0.7: ([0.7, 0.7, 0.7], [0.7, 0.7, 0.7]),
    -0.4: (
        [0.568023, 0.817392, 0.80001, -0.041848, 0.276689],
        [-0.002029, 0.213557, 0.105293, -0.433383, -0.101557],
    ),
}


def hard_negatives(similarities):
    hardest, mean = NEGATIVES[round(float(similarities[0][0]), 1)]
    return jnp.array(hardest), jnp.array(mean)
