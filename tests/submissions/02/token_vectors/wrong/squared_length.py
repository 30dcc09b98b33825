# expects: the square root is missing
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.sum(centered**2, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
