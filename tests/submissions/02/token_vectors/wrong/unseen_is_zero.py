# expects: Tokens that never occur in training got 0.
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return np.where(counts > 0, a / (a + counts / counts.sum()), 0)
