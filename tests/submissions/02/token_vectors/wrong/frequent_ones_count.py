# expects: This grows with the frequency
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    fractions = counts / counts.sum()
    return fractions / (a + fractions)
