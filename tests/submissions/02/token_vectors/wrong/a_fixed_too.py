# expects: `a` is always
# the constant a is always 1e-3, the argument is ignored; shows for every other a
def prepare_vectors(table):
    centered = table - table.mean(axis=0)
    return centered / np.linalg.norm(centered, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    p = np.asarray(counts) / np.sum(counts)
    return 1e-3 / (1e-3 + p)
