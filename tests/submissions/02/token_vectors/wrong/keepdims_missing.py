# expects: Your code stopped with
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
