def prepare_vectors(table):
    return keras.utils.normalize(table - np.mean(table, axis=0, keepdims=True), axis=-1)


def token_importance(counts, a=1e-3):
    fraction = np.asarray(counts) / (np.sum(counts) or 1)
    return 1.0 / (1.0 + fraction / a)
