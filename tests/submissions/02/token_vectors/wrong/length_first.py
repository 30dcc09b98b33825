# expects: The vectors are divided by their lengths first, and then centered. Subtract the mean first
# divides by the lengths first and subtracts the mean afterwards, so the result does not have length 1
def prepare_vectors(table):
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    return unit - unit.mean(axis=0)


def token_importance(counts, a=1e-3):
    return a / (a + counts / np.sum(counts))
