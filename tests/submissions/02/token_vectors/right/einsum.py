def prepare_vectors(table):
    centered = table - np.average(table, axis=0)
    return centered / np.sqrt(np.einsum("td,td->t", centered, centered))[:, None]


def token_importance(counts, a=1e-3):
    fractions = np.asarray(counts, dtype=float)
    fractions /= fractions.sum()
    return a / (a + fractions)
