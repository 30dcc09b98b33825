from sklearn.preprocessing import normalize


def prepare_vectors(table):
    return normalize(table - table.mean(axis=0, keepdims=True))


def token_importance(counts, a=1e-3):
    return 1 / (1 + counts / (a * counts.sum()))
