# expects: A value is off
# also removes the first principal component ("all but the top"), which the text doesn't ask for; shown by any table with more than one dimension.
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    _, directions = np.linalg.eigh(centered.T @ centered)
    top = directions[:, -1]
    centered = centered - np.outer(centered @ top, top)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
