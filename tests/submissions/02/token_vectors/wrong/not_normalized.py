# expects: The vectors do not have length 1.
def prepare_vectors(table):
    return table - table.mean(axis=0)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
