# expects: A value is off
# scales the vectors to length 1 before the mean is subtracted (and again after it), so the mean of the directions is removed instead of the mean vector; the lengths are 1, but wrong vectors if the rows have different lengths.
def prepare_vectors(table):
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    centered = unit - unit.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())
