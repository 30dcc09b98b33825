# expects: The counts are divided by the largest one. Divide by their sum.
# the fraction is relative to the most frequent token instead of to all tokens; shows whenever more than one token occurs
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    counts = np.asarray(counts, "float64")
    return a / (a + counts / counts.max())
