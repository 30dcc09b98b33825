# expects: A value is off
# adds 1 to every count (Laplace smoothing), so a token that never occurs doesn't get the weight 1; shown by counts with a zero, e.g. [0, 3, 7].
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    fractions = (counts + 1) / (counts.sum() + len(counts))
    return a / (a + fractions)
