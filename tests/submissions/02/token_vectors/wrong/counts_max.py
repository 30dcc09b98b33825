# expects: The counts are divided by the largest one. Divide by their sum.
# divides the counts by the largest count instead of their sum, so p isn't the fraction of all tokens; counts 1, 1 give p = 1 instead of 0.5.
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.max())
