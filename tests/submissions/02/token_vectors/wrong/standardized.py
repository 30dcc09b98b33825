# expects: Each dimension is divided by its spread
def prepare_vectors(table):
    return (table - table.mean(axis=0)) / table.std(axis=0)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
