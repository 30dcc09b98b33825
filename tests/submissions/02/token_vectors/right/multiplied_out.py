def prepare_vectors(table):
    shifted = np.subtract(table, np.mean(table, axis=0))
    lengths = np.sqrt(np.einsum("td,td->t", shifted, shifted))
    return shifted / np.where(lengths == 0, 1, lengths)[:, None]


def token_importance(counts, a=1e-3):
    counts = np.asarray(counts)
    scaled = a * (counts.sum() or 1)
    return scaled / (scaled + counts)
