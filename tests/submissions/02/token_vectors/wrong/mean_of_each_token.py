# expects: This subtracts each vector's own mean (axis=
# subtracts from each vector the mean of its own numbers (axis 1) instead of the mean vector of all tokens
def prepare_vectors(table):
    centered = table - np.mean(table, axis=1, keepdims=True)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / np.sum(counts))
