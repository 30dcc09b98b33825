# expects: The mean vector is not subtracted.
def prepare_vectors(table):
    return table / np.linalg.norm(table, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
