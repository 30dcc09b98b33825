# expects: This subtracts each vector's own mean (axis=1).
def prepare_vectors(table):
    centered = table - table.mean(axis=1, keepdims=True)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
