# expects: All vectors are divided by one number.
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
